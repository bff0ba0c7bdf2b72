"""Standing rules in other languages than English, found by the words that say that something lasts.

"From now on" is enough; "always", "never" and a ban need a word about the way of working as well. Names of programs are
the same in all languages. The sentence is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.failures.rules.corrections.phrases import CorrectionMatch
from tacit.failures.rules.corrections.topics import names_tool
from tacit.text.patterns import lazy_pattern
from tacit.text.prompt_sentences import Sentence

_MOST_CHARS = 240
_NAMING_CHARS, _NAMING_WORDS = 24, 3
# Where words are not divided: "please use it" has as many.
_NAMING_SIGNS = 8
# A name stands beside letters of another script without a blank.
_LATIN = lazy_pattern(r"[A-Za-z][A-Za-z0-9.+-]*")
_FROM_NOW_ON = lazy_pattern(
    r"\b(?:de ahora en adelante|a partir de ahora|de aquí en adelante|de agora em diante|a partir de agora|"
    r"daqui em diante|"
    r"désormais|dorénavant|à partir de maintenant|à l'avenir|ab jetzt|ab sofort|künftig|in zukunft|von nun an|"
    r"da ora(?: in poi)?|d'ora in (?:poi|avanti)|vanaf nu|voortaan|od teraz|отныне|впредь|с этого момента|"
    r"bundan sonra)\b|"
    r"从现在(?:开始|起)|从今(?:以)?后|今后|以后(?!的)|今後|これからは|次(?:回)?から(?:は)?|앞으로|이제부터",
    re.I,
)
_ALWAYS = lazy_pattern(
    r"\b(?:siempre|nunca|jamás|sempre|toujours|jamais|immer|niemals|nie (?:wieder|mehr)|altijd|nooit|"
    r"zawsze|nigdy|"
    r"всегда|никогда|her zaman|asla)\b|总是|始终|一律|务必|永远|每次|禁止|不要再|必ず|常に|毎回|絶対|항상|절대|반드시",
    re.I,
)
_BANNED = lazy_pattern(
    r"(?:しないで|使わないで|入れないで|作らないで|書かないで)(?:ください|ね|よ)?$|^(?:请)?不要(?:使用|用|提交|推送|直接)|"
    r"^(?:por favor )?no (?:uses|hagas|subas)\b|^(?:bitte )?(?:kein|keine|keinen|nicht)\b"
    r"|(?<!신경)(?<!신경 )(?<!애)[하쓰]지 ?마",
    re.I,
)
# The language of the answers, said in that language.
_SPEAK = lazy_pattern(
    r"^(?:(?:parla|rispondi|scrivi)\b.{0,20}\bitaliano|(?:schreibe?|antworte|sprich|rede)\b.{0,20}\bdeutsch|"
    r"(?:réponds?|écris|parle|répondez|parlez)\b.{0,20}\bfrançais|(?:responde|habla|escribe|"
    r"contesta)\b.{0,20}\bespañol|"
    r"(?:responda|fale|escreva|responde)\b.{0,20}\bportugu[eê]s|(?:odpowiadaj|pisz|mów)\b.{0,20}\bpo polsku|"
    r"(?:пиши|говори|отвечай|думай)\b.{0,24}(?:по[- ]русск\w+|на русском)|(?:antwoord|schrijf)\b.{0,20}\bnederlands|"
    r"(?:请)?(?:使用|用)?中文(?:对话|回答|回复|交流|沟通)?(?:我)?|日本語で(?:答えて|回答|返信|お願い|話して|書いて).{0,10}|"
    r"한국어로 ?(?:답|대답|말|작성).{0,10})$",
    re.I,
)
_STAYS = lazy_pattern(r"まま|[はも]$|没问题|不变|不用|그대로|괜찮")
_ASKS = lazy_pattern(r"(?:か|吗|呢|니까|나요)$")
_WORK = lazy_pattern(
    r"\b(?:commits?|commit\w*|push\w*|pull requests?|prs?|branch(?:es)?|main|master|merge\w*|git|github|tests?|lint|"
    r"deploy\w*|rama|pruebas?|código|comentarios?|respuestas?|respond\w+|branche|commentaires?|réponds?|réponses?|"
    r"kommentare?|antwort\w*|deutsch|englisch|français|español|português|italiano|code|docs?|readme|cli|script\w*)\b|"
    r"提交|推送|分支|合并|测试|注释|代码|部署|上线|回答|回复|中文|英文|文档|命令|コミット|プッシュ|ブランチ|マージ|テスト|コメント|"
    r"日本語|回答|返信|コード|ドキュメント|使わないで|커밋|푸시|브랜치|테스트|주석|코드|한국어",
    re.I,
)
_LOCAL = lazy_pattern(
    r"\b(?:ahora mismo|todavía|aún|esta vez|por ahora|este archivo|cette fois|pour l'instant|ce fichier|diesmal|"
    r"vorerst|noch nicht|diese datei|questa volta|per ora|desta vez|por enquanto|ещё|пока)\b|"
    r"这次|目前|暂时|先不|这个(?:页面|按钮|文件)|今回|とりあえず|まだ|今は|この(?:ファイル|ページ)|이번|아직|일단",
    re.I,
)
_ENGLISH = lazy_pattern(r"\b(?:the|always|never|please|you|we|with|from now)\b", re.I)
_FOREIGN = lazy_pattern(
    r"[^\x00-\x7f]|\b(?:ahora|agora|siempre|sempre|nunca|immer|ab|da ora|d.ora|altijd|nie|toujours)\b", re.I
)


def foreign(sentence: Sentence) -> Iterator[CorrectionMatch]:
    """Find the standing rule of a sentence in another language."""
    text = sentence.text
    first = text.partition("，")[0].partition(",")[0].strip()
    if _SPEAK.match(first):
        yield CorrectionMatch("style-preference", "", sentence.said(first), 0, len(first), 0.8)
        return
    if (
        _ASKS.search(text)
        or not _FOREIGN.search(text)
        or _ENGLISH.search(text)
        or len(text) > _MOST_CHARS
        or _LOCAL.search(text)
    ):
        return
    work = bool(_WORK.search(text)) or names_tool(" ".join(_LATIN.findall(text)))
    lasting = bool(_FROM_NOW_ON.search(text))
    banned = bool(_BANNED.search(text))
    if lasting or (work and (_ALWAYS.search(text) or banned)):
        said = sentence.said(text).strip(" .,;:!。！")
        yield CorrectionMatch("workflow-step", "", said, 0, len(text), 0.75, waits=banned)


def only_names(sentence: Sentence) -> bool:
    """Return whether a sentence, in any script, is so short that it only names a program: what to use instead."""
    text = sentence.text
    around = len(text) - len(text.encode("ascii", "ignore"))
    if len(text) > _NAMING_CHARS or len(text.split()) > _NAMING_WORDS or around > _NAMING_SIGNS:
        return False
    if sentence.asks or _ASKS.search(text):
        return False
    return names_tool(" ".join(_LATIN.findall(text))) and not _BANNED.search(text) and not _STAYS.search(text)
