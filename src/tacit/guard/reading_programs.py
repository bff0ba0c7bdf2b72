"""Programs for which a command or a path among their arguments is data."""

_NAMES = """
echo printf grep egrep fgrep zgrep rg ag ack cat bat tac head tail less more wc man info apropos whatis which whereis
type tldr cheat help test [ [[ expr true false : jq yq diff cmp comm sort uniq tr cut paste ls logger say wall
notify-send figlet cowsay banner espeak mail read local return exit set export declare typeset readonly unset let shift
hash dpkg-query locate basename dirname realpath stat file strings xxd od hexdump md5sum sha1sum sha256sum tacit ps
pgrep pidof history fc compgen complete shellcheck shfmt bash-completion code emacs nano touch mkdir tput date
"""
_CHANGING = "mail read local set export declare typeset readonly unset let hash code emacs nano touch mkdir"
_ALSO_READING = """
cd pushd popd pwd du df tree eza exa lsd nl column fold lsof fuser find fd fdfind sleep source . git delta difft zcat
yamllint getfacl lsattr namei awk gawk mawk sed gsed rsync scp cp mv tar zip gzip 7z readlink shasum sha512sum cksum
"""
ARGUMENTS_ARE_DATA = frozenset(_NAMES.split())
"""Programs that inspect their arguments or print them, and run none of them."""
READERS = ARGUMENTS_ARE_DATA - set(_CHANGING.split()) | set(_ALSO_READING.split())
"""Programs that only read the files they name; what `sed -i`, `cp` and others write is in `written_files.py`."""
