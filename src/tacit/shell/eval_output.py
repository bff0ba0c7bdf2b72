"""Printers: tools whose output is meant to be evaluated, such as `direnv hook bash` and `ssh-agent`."""

from __future__ import annotations

from tacit.text.patterns import lazy_pattern

# Output that is meant to be evaluated: hooks and settings of installed tools.
_PRINTERS = lazy_pattern(
    r"^(?:direnv hook|direnv export|ssh-agent|gpg-agent|brew shellenv|\S*/brew shellenv|pyenv (?:init"
    r"|virtualenv-init)|rbenv init|nodenv init"
    r"|jenv init|goenv init|starship init|zoxide init|fnm env|mise (?:activate|env)|rtx activate|conda shell\.\w+"
    r"|dircolors|opam env|keychain"
    r"|thefuck|luarocks path|docker-machine env|minikube (?:docker|podman)-env|atuin init|mcfly init"
    r"|register-python-argcomplete|pip completion"
    r"|kubectl completion|helm completion|gh completion|npm completion|poetry completions|rustup completions"
    r"|tmuxifier init|pandoc --bash"
    r"|navi widget|fzf --\w+|gpgconf|lesspipe|SHELL=\S+ lesspipe|resize|tset|locale|cat /etc/os-release"
    r"|aws ecr get-login|uv generate"
    r"|glow completion|oh-my-posh init|vault print|op completion|eksctl completion|stern completion"
    r"|flux completion|argocd completion"
    r"|hub alias|scmpuff init|chef shell-init|perl -I\S* -Mlocal::lib|tabtab|devbox global shellenv|nvm |volta "
    r"|asdf )"
)


# Programs print their completions, and settings for the shell, under these names.
_OWN_SETTINGS = lazy_pattern(
    r"(?!(?:\S*/)?(?:cat|echo|printf|base64|curl|wget|nc|ncat|socat|ssh|python\S*|perl|ruby|node|sh|bash|"
    r"zsh)\b)[\w./@-]+"
    r"(?: [\w./-]+)* (?:completions?|shellenv|shell-init|generate-shell-completion|gen-completions?|activate"
    r"|--completions?|completion-script)(?:[ =](?:-s |--shell[ =])?(?:(?:bash|zsh|fish|sh)(?:/\w+)*|-))?"
)


def is_printer(text: str) -> bool:
    """Return whether a command prints settings that are meant to be evaluated."""
    return bool(_PRINTERS.match(text.strip()) or _OWN_SETTINGS.fullmatch(text.strip()))
