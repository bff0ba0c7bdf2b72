"""Patterns of instructions to the reading model, as data: families of rules over folded text, in nine languages.

A rule starts at a verb or a mark that is cheap to search for; whether it is at the start of an instruction is checked
after that. `~` in a pattern is the gap between two words: a space, a line break, one or two marks. Every repetition is
bounded, so that matching takes only a few steps from any position of a text.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tacit.admission.instruction_disguises import unaccented

ANCHOR_CHARS = 5


class InstructionRule(NamedTuple):
    """One way to give an instruction: a pattern, and anchors; the pattern is tried if a text contains an anchor."""

    family: str
    anchors: tuple[str, ...]
    led: bool
    """Whether it counts only where an instruction begins: after a full stop, "please", "you must"."""
    written: str
    followed: str = ""
    """What must come after it in the same sentence; searched separately, so that no two searches nest."""
    gap: str = r"\W{1,4}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, compiled when first needed: most texts need none."""
        return _compiled(self.written, self.gap)

    @property
    def sequel(self) -> re.Pattern[str] | None:
        """The pattern that must follow the match, if the rule requires one."""
        return _compiled(self.followed, self.gap) if self.followed else None


_QUALIFIED = r"(?:(?:all|any|every|the|your|these|those|my|our|of|each|such|whatever)~){0,3}"
_BEFORE = r"(?:previous(?:ly)?|prior|earlier|above|preceding|former|foregoing|past)"
_STANDING = (
    r"(?:existing|original|initial|current|system|safety|security|built-in|default|hidden|developer|core"
    r"|other)"
)
_BETWEEN = r"(?:(?:given|stated|system|safety|user|developer|security|admin|operator|and|or|all|any|chat)~){0,2}"
_TOLD = (
    r"(?:instructions?|inst(?=\.{3})|prompts?|directives?|guidelines?|guardrails?|rules?|directions|safeguards?"
    r"|restrictions?)"
)
_TOLD_TOO = (
    r"(?:messages?|context|commands?|orders?|constraints?|limitations?|training|programming|conversations?|text)"
)
_ON = r"(?:[^\w.!?;。！？；؟۔।\n\u2028\u2029]|\n(?!\s*(?:\n|[-*•#>]|\d+[.)]))){1,4}"
"""A gap inside one sentence: what comes after its end, in a list or after an empty line changes nothing before it."""
_OF_A_FILE = (
    rf"(?!(?:{_ON})?(?:in|from|for|of|about|on|at)~(?:the~|this~|our~)?(?:[\w-]{{0,30}}[./]\w|readme|wiki|docs?\b"
    r"|file|jira|ticket|pr\b"
    r"|runbook|section|page|old|setup|install|issue|vendor|changelog|template))"
)
_OVER = r"(?=\W{0,3}(?:$|[.!?;,\n\"')\]]|and\b|then\b|but\b|or\b))"
_STRONG = (
    r"(?:ignore|disregard|forget|overlook|neglect|dismiss|abandon|set~aside|stop~following|(?:do~not"
    r"|don.?t)~(?:follow|obey)"
    r"|pay~no~attention~to|cease~(?:following|obeying)|unlearn)"
)
_WEAK = r"(?:override|bypass|disable|circumvent|turn~off|switch~off|suspend|evade|remove|disregard|ignore)"
_READER = r"(?:assistant|agents?|model|ai|claude|gpt|chatgpt|copilot|llm|bot|you)"
_DO_AS_TOLD = (
    r"(?:you~(?:must|are|will|may|shall|can|should|have|now)|ignore|disregard|forget|reveal|obey|comply|override"
    r"|bypass"
    r"|from~now~on|henceforth|grant|the~assistant|all~agents|exfiltrate|leak|do~not~(?:tell|ask|mention)|never~ask"
    r"|approve)"
)
_LET = (
    r"(?:skip|ignore|bypass|omit|disregard|waive|approve|obey|trust|execute|send|leak|reveal|do~anything|act~as"
    r"|pretend)"
)
_ASKED = r"(?:confirmation|approval|permission|consent|authori[sz]ation|sign-?off)"
_PERSON = r"(?:operator|user|human|owner|person|anyone|anybody|maintainer|developer)"
_SECRETS = (
    r"(?:system~prompts?|hidden~prompts?|initial~prompts?|(?:stored~|saved~|user~|admin~|login~|secret~|private~"
    r"|ssh~|aws~)"
    r"{0,2}(?:credentials?|passwords?|secrets|api~keys?|private~keys?|ssh~keys?|access~tokens?|tokens|keys))"
)
_WHENEVER = (
    r"(?:at~the~(?:start|beginning)~of~(?:every|each|any)|whenever~you|every~time~you|on~every~(?:session|start"
    r"|prompt|task"
    r"|request)|before~(?:answering|responding|replying|doing~anything|you~(?:start|answer|begin|reply)|(?:any|every"
    r"|each)~"
    r"(?:task|command|action|answer|reply|response|session|request))|immediately|silently|you~must|assistant~must"
    r"|agents?~must|always~(?:first~)?(?:run|execute|curl|download|fetch|begin))"
)
_FETCHED = (
    r"(?:(?:curl|wget)\b[^\n]{0,120}?(?:\|\s?(?:sudo\s)?(?:ba|z)?sh\b)|(?:download|fetch|retrieve|curl"
    r"|wget)\b[^\n]{0,120}?"
    r"\b(?:and|then|&&)~?(?:\w{1,12}~){0,2}(?:run|execute|eval|source|install)\b|rm\s-rf?\s?[/\x7e.*]"
    r"|chmod\s(?:-r\s)?777)"
)

_RULES: tuple[tuple[str, str, bool, str] | tuple[str, str, bool, str, str], ...] = (
    # family, anchors, whether it must be where an instruction begins, pattern, what must follow in the same sentence
    ("override", "ignore disregard forget overlook neglect dismiss abandon aside follow obey attention unlearn", True,
     (rf"{_STRONG}~{_QUALIFIED}(?:{_BEFORE}~{_BETWEEN}(?:{_TOLD}|{_TOLD_TOO}{_OVER})"
     rf"|{_STANDING}~{_BETWEEN}(?:instructions?|prompts?|directives?|guidelines?|guardrails?"
     rf"|messages?{_OVER}))\b{_OF_A_FILE}")),
    ("override", "ignore disregard forget follow obey", True,
     rf"{_STRONG}~(?:(?:all|any|every|the)~)?(?:of~)?your~(?:\w{{1,12}}~)?(?:{_TOLD}|training|programming)\b"),
    ("override", "ignore disregard forget follow obey", True,
     (rf"{_STRONG}~(?:all|any|every|these|those|the)~(?:of~)?(?:the~|these~|those~)?(?:instructions?|directives?"
     rf"|guardrails?|prompts)"
     rf"{_OVER}{_OF_A_FILE}")),
    ("override", "ignore disregard forget", True,
     (r"(?:ignore|disregard|forget)~(?:everything|anything|all|what)~(?:that~|which~)?(?:above|before~this"
     r"|you~(?:were|have~been|"
     r"know|learned|was)|came~before|was~said|i~said~before|has~been~said|said~(?:before|above|earlier|so~far))\b")),
    ("override", "ignore disregard forget", True,
     (rf"(?:ignore|disregard|forget)~{_QUALIFIED}{_TOLD}~(?:(?:you~were|you~have~been|that~were|they)~(?:given|told"
     rf"|gave)|"
     r"given~(?:above|before|earlier|so~far)|above|before~this)\b")),
    ("override", "safety content ethical moral security ethics alignment", True,
     (rf"{_WEAK}~{_QUALIFIED}(?:safety|content|ethical|moral|security|ethics|alignment)~(?:guardrails?|guidelines?"
     rf"|filters?|"
     rf"polic(?:y|ies)|checks?|controls?|measures?|restrictions?|protocols?|rules?|training){_OVER}")),
    ("override", "override bypass circumvent", True,
     rf"(?:override|bypass|circumvent)~{_QUALIFIED}(?:previous|prior|your)~(?:\w{{1,12}}~)?{_TOLD}\b"),
    ("override", "bypass", True, rf"bypass~(?:all~|any~|the~)?(?:security|safety|guardrails?){_OVER}"),
    ("override", "instruction directive", True,
     (rf"(?:new|updated|revised|real|actual)~(?:system~|secret~)?(?:instructions?"
     rf"|directives?)\s?:~?(?:\w{{1,20}}~){{0,4}}?{_DO_AS_TOLD}\b")),
    ("override", "supersede replace override precedence", False,
     (rf"(?:this|these|the~following)(?:~\w{{1,14}}){{0,2}}~(?:supersedes?|replaces?|overrides?"
     rf"|takes?~precedence~over)~"
     rf"(?:(?:all|any|every|the|your)~){{0,2}}(?:{_BEFORE}|system|other|your)~(?:\w{{1,12}}~)?(?:{_TOLD}"
     rf"|{_TOLD_TOO})\b")),
    ("role", "now", False,
     (r"you(?:~are|.?re)~now~(?:in~(?:\w{1,14}~)?(?:developer|dev|god|admin|unrestricted|jailbreak|dan|sudo|unlocked"
     r"|override|"
     r"privileged|debug|maintenance)~mode|(?:an?|the|my)~(?:\w{1,14}~){0,3}(?:ai|assistant|agent|model|bot|chatbot"
     r"|llm|"
     r"hacker|administrator|admin|persona|entity|shell|superuser)\b|dan\b|unrestricted|uncensored|jailbroken"
     r"|free~(?:from|of|to)|"
     r"freed|(?:no~longer|not)~(?:bound|limited|restricted)|(?:allowed|authori[sz]ed|permitted|exempt)~|root\b(?!@)"
     r"|operating~as)")),
    ("role", ("unrestricted uncensored jailbroken unfiltered amoral unaligned freed unlocked liberated restrictions "
     "limits limitations rules guidelines filters"), False,
     (r"you(?:~are|.?re)~(?:an?~)?(?:\w{1,14}~)?(?:unrestricted|uncensored|jailbroken|unfiltered|amoral|unaligned)\b|"
     r"you~have~(?:been~(?:freed|unlocked|jailbroken|liberated)|no~(?:restrictions|limits|limitations|rules"
     r"|guidelines|filters))")),
    ("role", "safety ethical moral", False,
     (r"(?:with~no|without~any|without|has~no|have~no)~(?:safety|ethical|moral)~(?:guidelines?|restrictions?|limits?"
     r"|filters?|checks?|"
     r"guardrails?|constraints?)\b(?=\W{0,3}(?:$|[.!;,\n<]))")),
    ("role", "act behave respond operate function answer", True,
     (r"(?:act|behave|respond|operate|function|answer)~as~(?:if~you~(?:are|were|have"
     r"|had)~(?:\w{1,14}~){0,3}(?:admin\w*|root|no\b|un\w+ed|free|not)"
     r"|(?:an?|the|my)~(?:\w{1,14}~){0,2}(?:unrestricted|uncensored|unfiltered|jailbroken|evil|superuser|dan"
     r"|omnipotent)\b|dan\b|"
     r"(?:an?|the)~(?:system~)?(?:admin|administrator|root~user|owner)~with~(?:full|unrestricted|unlimited|complete"
     r"|all|root)~"
     r"(?:access|permissions?|privileges|rights|control))")),
    ("role", "pretend imagine roleplay role", True,
     (r"(?:pretend|imagine|role-?play)~(?:that~|as~|to~be~)?(?:you~(?:are|have|can|were)|an?~(?:\w{1,14}~){0,2}(?:ai"
     r"|assistant|model|admin\w*))~?"
     r"(?:\w{1,14}~){0,5}(?:no~|without~|not~bound|unrestricted|unfiltered|uncensored|admin\w*|anything|free)")),
    ("role", "mode anything", False,
     (rf"(?:god|jailbreak|dan|unrestricted|unfiltered)~mode\b(?!(?:{_ON})?(?:flag|option|setting|switch|attack|prompt"
     r"|in~|shows?|lets?))|"
     r"developer~mode~(?:is~)?(?:now~)?(?:activated|engaged|unlocked|enabled)(?=\W{0,3}(?:$|[.!\n]))"
     r"|do~anything~now\b")),
    ("role", "mode", True, (r"(?:enter|enable|activate|switch~(?:in)?to)~(?:developer|god|dan|jailbreak|unrestricted"
     r"|admin|sudo)~mode(?=\W{0,3}(?:$|[.!\n]|and~"
     r"(?:ignore|answer|comply|do|obey)))")),
    ("role", "persona identity", True, (r"(?:new|your)~(?:\w{1,12}~)?(?:persona|identity)~?(?::"
     r"|is)~(?:\w{1,12}~){0,3}(?:un\w+ed|admin\w*|root|dan|evil|free)")),
    ("markup", "system developer assistant im_start sys instructions admin important user", False,
     (rf"<[<|/]?\s?(?:system|developer|assistant|im_start|sys|instructions?|admin|important"
     rf"|user)(?:[-_]\w{{1,14}})?\s?(?:\|?>>?|\|)\W{{0,6}}(?:system\W{{0,3}})?"
     rf"(?:\w{{1,24}}~){{0,4}}?(?:{_DO_AS_TOLD}|you\b|must~always|always~comply)")),
    ("markup", "inst system developer admin assistant sys", False,
     (rf"(?:\[/?(?:inst|system|developer|admin|assistant)(?:[ _-]\w{{1,14}})?\]"
     rf"|<<sys>>)\W{{0,6}}(?:\w{{1,24}}~){{0,4}}?{_DO_AS_TOLD}\b")),
    ("markup", "memory persist system", False,
     (r"\[/?(?:memory[_ -](?:persist|override|inject|directive|implant|command)\w{0,8}|persist[_ -]memory"
     r"|system[_ -]override)(?:\W{0,2}\w{0,12})?\]")),
    ("markup", "memory user_ user", False,
     (r"\[(?:user[_ -]?)?memory\s?[=:][^\]\n]{0,80}?\b(?:assistant|agent|you|never|always|must|ignore|skip|without"
     r"|admin\w*|"
     r"approved?|bypass|trusted?|allow\w*)\b")),
    ("markup", "system developer assistant admin root operator openai anthropic", False,
     (rf"(?:^|[\n.!?:;\])#*\"']\W{{0,3}})(?:system|developer|assistant|admin|administrator|root|operator|openai"
     rf"|anthropic)"
     rf"(?:~(?:message|prompt|note|override|update|instruction|notice"
     rf"|directive))?\]?\s?[:>]\W{{0,3}}(?:\w{{1,20}}~){{0,3}}?{_DO_AS_TOLD}\b")),
    ("markup", "system", False, (r"(?:begin|start|end)~(?:of~)?(?:new~)?system~(?:prompt|message"
     r"|override)\b\W{0,8}(?=\w)(?!is|was|in|with|at|and~the|markers?)")),
    ("exfiltration", "reveal leak exfiltrate disclose divulge dump expose steal harvest", True,
     (rf"(?:reveal|leak|exfiltrate|disclose|divulge|steal|harvest|(?:dump|expose)(?=~(?:all|your|the~system"
     rf"|secrets{_OVER}|any|every|stored)))~"
     rf"(?:(?:all|any|every|the|your|of|me|us|out|its|their|an?)~){{0,4}}{_SECRETS}")),
    ("exfiltration", "print output repeat tell give show send write display recite paste", True,
     (r"(?:print|output|repeat|tell|give|show|write|display|recite|paste|send)~(?:(?:me|us|out|all|of|to|the|verbatim"
     r"|full|back)~){0,4}"
     rf"(?:your~(?:\w{{1,12}}~)?(?:system~prompt|prompt|instructions|rules|directives|memory|secrets|credentials"
     rf"|api~keys?|keys)\b"
     rf"|the~(?:system|hidden|initial)~prompt(?:~verbatim|{_OVER})|(?:system|hidden)~prompt(?:~verbatim|{_OVER}))")),
    ("exfiltration", "print output send email post upload forward transmit tell give repeat", True,
     (r"(?:print|output|send|email|post|upload|forward|transmit|tell|give|repeat)~(?:(?:me|us|out|of"
     r"|back)~){0,2}(?:(?:all|every|any|the)~)"
     rf"(?:of~)?(?:the~|your~|our~)?(?:stored~|saved~|user~|admin~|root~|login~){{0,2}}(?:credentials|passwords?"
     rf"|secrets|api~keys|private~keys|ssh~keys)"
     rf"(?:{_OVER}|~to~(?:me|us|the~(?:user|attacker|console|screen|log|output|terminal|chat)|https?|\S{{1,60}}@))")),
    ("exfiltration", "send post upload forward exfiltrate transmit copy email report ship curl push", True,
     r"(?:send|post|upload|forward|exfiltrate|transmit|copy|email|report|ship|curl|push)~", (r"\b(?:conversation"
     r"|chat~history|context|memory|"
     r"memories|transcripts?|source~code|\.env|env~file|id_rsa|\.ssh|credentials?|secrets?|environment~variables"
     r"|api~keys?|tokens?|cookies|keychain|"
     r"passwords?)\b[^\n]{0,40}?\bto~(?:https?:|\S{1,60}@\S|\S{1,60}\.(?:com|net|org|io|ru|xyz|example|dev|top"
     r"|site)\b|this~(?:url|address|server|"
     r"endpoint|host)|the~(?:following|attacker|external|remote)|an?~(?:external|remote|third))")),
    ("persistence", "treat regard consider accept take store remember save persist keep record", True,
     (r"(?:treat|regard|consider|accept|take|store|remember|save|persist|keep|record)~(?:this|the~following|these"
     r"|that|it|what~follows)(?:~\w{1,14}){0,4}?"
     r"~as~(?:(?:an?|the|your|my|our)~)?(?:\w{1,14}~){0,2}(?:directives?|system~(?:prompt|message|rule|instruction"
     r"|note)s?|standing~(?:orders?|instructions?)|"
     r"permanent~(?:rules?|instructions?|orders?)|operating~\w{1,14}|highest~priority|binding~\w{1,14}|(?:from"
     r"|by)~(?:the~)?(?:system|developer|operator))\b")),
    ("persistence", "remember obey follow apply keep", True,
     (r"(?:remember|obey|follow|apply|keep)~(?:this|these|the~following|them)(?:~\w{1,14}){0,6}?~(?:for|in|across"
     r"|during)~(?:all|every|each|any)~"
     r"(?:later|future|subsequent|following|coming|upcoming|new|other|next)?~?(?:sessions?|conversations?|chats?"
     r"|interactions?|tasks?|agents?)\b")),
    ("persistence", "now henceforth forward moment point future", False,
     (r"(?:from~now~on|henceforth|going~forward|from~this~(?:point|moment)~(?:on\w{0,5}|forward)|starting~now"
     r"|as~of~now|in~(?:all~)?future~(?:sessions|"
     rf"conversations|chats))\W{{1,4}}(?:(?:the~|this~|all~|every~|any~)?{_READER}~)?(?:\w{{1,12}}~)?(?:(?:may|can"
     rf"|must|will|shall|should|are~(?:to|free~to|"
     rf"allowed~to|authori[sz]ed~to)|need~to|always)~)?(?:{_LET}\b|never~(?:ask|warn|mention|refuse|question|tell"
     rf"|decline)|always~(?:approve|comply|obey|"
     r"trust|execute|include|send|allow|recommend|answer)|(?:do~not|don.?t)~(?:ask|warn|mention|tell|need|refuse)"
     r"|comply\b|obey\b|no~longer~(?:ask|need|refuse))")),
    ("persistence", "remember", True,
     (r"remember~\S[^\n]{0,60}?\bas~(?:an?|the|your)~(?:most~)?(?:trusted|authoritative|preferred|reliable)~(?:source"
     r"|vendor|provider|domain|site|citation)")),
    ("persistence", "tell mention inform alert notify reveal show disclose report", True,
     (rf"(?:do~not|don.?t|never)~(?:tell|mention|inform|alert|notify|reveal|show|disclose"
     rf"|report)~(?:(?:the~)?{_PERSON}~(?:about~|of~|that~you~)?(?:this|these|it\b|any~of~this|"
     rf"what~you|read|follow|received)|(?:this|these|it|any~of~this"
     rf"|anything~of~this)(?:~\w{{1,14}}){{0,3}}~to~(?:the~|your~|any)?{_PERSON})")),
    ("permission", "ask request seek wait prompt require consult", True,
     (rf"(?:never|do~not|don.?t|no~longer|stop|you~need~not|no~need~to)~(?:ask|request|seek|wait~for|require|prompt"
     rf"|consult)(?:ing)?~(?:(?:the|any|your|for|a|human)~){{0,3}}"
     rf"(?:(?:{_PERSON}|me|us|him|her|them)~(?:for~)?(?:(?:any|their|his|explicit|further|a)~)?{_ASKED}"
     rf"|{_ASKED})\b(?!{_ON}(?:when|if|with|unless|in~ci|during|twice|again|on~--|more~than))")),
    ("permission", "without", True,
     (r"(?:approve|authori[sz]e|execute|run|proceed|transfer|wire|pay|delete|merge|deploy|install|grant|push|accept"
     r"|allow|confirm|sign|send|perform|continue|act|make|"
     r"do|use|commit)~"), (rf"\bwithout~(?:ever~|first~|any~|even~)?(?:asking|requesting|waiting~for|seeking"
     rf"|consulting|checking~with|informing|telling|notifying)~"
     rf"(?:for~)?(?:(?:the|any|your|a|an|explicit|human)~){{0,2}}(?:{_PERSON}|{_ASKED}|me\b|us\b)")),
    ("permission", "skip bypass omit disable waive suppress ignore", False,
     (rf"{_READER}~(?:may|can|must|should|shall|will|are~(?:allowed|free|authori[sz]ed|permitted)~to"
     rf"|have~permission~to|no~longer~need~to~ask~and~can)~(?:\w{{1,12}}~)?"
     rf"(?:skip|bypass|omit|disable|turn~off|waive|suppress|ignore)~(?:(?:the|any|all|every|your|human|user"
     rf"|operator)~){{0,3}}(?:{_ASKED}|safety|security|review|guard\w*|permission)")),
    ("permission", "skip bypass omit disable waive suppress", True,
     (rf"(?:skip|bypass|omit|disable|waive|suppress)~(?:all|any|every|your)~(?:\w{{1,12}}~)?(?:{_ASKED}|safety"
     rf"|permission)s?(?:~(?:steps?|checks?|prompts?|gates?|requests?|requirements?|dialogs?))?{_OVER}")),
    ("permission", "rights privilege permission access authority powers", False,
     (r"(?:(?:the|this|your)~(?:assistant|ai|model|llm|coding~agent|ai~agent)|assistant|claude|you|(?:every|this|all"
     r"|ai|coding)~agents?)~(?:now~|already~|always~)?(?:has|have|is~(?:granted|given)|"
     r"are~(?:granted|given)|holds?|gains?)~(?:been~(?:granted|given)~)?(?:\w{1,12}~)?(?:administrator|admin|root"
     r"|unrestricted|superuser|elevated|unlimited|system-level)(?:~level)?~(?:rights|"
     r"privileges?|permissions?|access|authority|powers)")),
    ("permission", ("preapproved pre approved blanket standing implied permanent authorised authorized consented "
     "granted"), False,
     (rf"(?:the~)?(?:{_PERSON}|admin|administrator)~(?:has~|have~)?(?:already~)?(?:pre-?approved|authori[sz]ed"
     rf"|consented~to|granted|approved)~(?:all|any|every|everything|full|whatever|"
     rf"unlimited)\b(?!{_ON}(?:prs?|reviews?|pull|tickets?|scopes?))|(?:blanket|standing|implied|permanent)~"
     r"(?:approval|permission|authori[sz]ation|consent)~(?:for|to|is|has|was|covers)~(?:all|any|every|run|execute|"
     r"granted|given|anything|delete|push)")),
    ("permission", "comply obey treat fulfil execute answer consider regard accept trust", True,
     (r"(?:comply~with|obey|fulfil+|execute|answer)~(?:all|any|every|each|only"
     r"|whatever)~(?:\w{1,12}~){0,2}(?:requests?|commands?|orders?|instructions?|demands?)\b(?:~(?:without"
     r"|in~(?:this|the)|from~(?:this|the)|below|above|that)|(?=\W{0,3}(?:$|[.!;,\n<\"'])))|"
     r"(?:treat|consider|regard|accept|trust)~(?:all|any|every)~(?:\w{1,12}~){0,3}(?:commands?|requests?|tool~calls?"
     r"|instructions?|packages?|downloads?|scripts?|output)(?:~\w{1,12}){0,4}?~as~(?:safe|approved|trusted|"
     r"authori[sz]ed|pre-?approved|authoritative|instructions?)")),
    ("permission", "regardless comply", False,
     (rf"regardless~of~(?:the~|any~|what~the~)?{_PERSON}(?:.s)?~(?:preferences?|wishes|instructions?|consent"
     rf"|objections?|wants|says|approval|permission)|"
     r"you~must~(?:now~)?(?:always~)?(?:comply|obey)")),
    ("download", "curl wget download fetch retrieve rm chmod", False, rf"{_WHENEVER}\b", _FETCHED),
    ("download", "decode deobfuscate decrypt", True, (r"(?:decode|deobfuscate|decrypt)~(?:\w{1,24}~){0,6}?(?:and"
     r"|then)~(?:execute|run|follow|obey|do~what)\b")),
)  # fmt: skip

_FOREIGN: tuple[tuple[str, str, str], ...] = (
    ("override", "ignor oubli neglig compte abstraction",
     (r"(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|ne~(?:tiens|tenez)~(?:pas|plus)~compte~d\w{1,2}|fai(?:s"
     r"|tes)~abstraction~d\w{1,2})~(?:\w{1,12}~){0,3}?"
     r"(?:(?:toutes|tes|vos)~(?:\w{1,12}~){0,2}(?:instructions|consignes|directives|regles)|(?:instructions"
     r"|consignes|directives|regles|invites)~(?:\w{1,12}~)?(?:precedentes?|anterieures?|ci-dessus|"
     r"du~systeme|initiales))")),
    ("override", "ignorier vergiss vergessen missacht beacht",
     (r"(?:ignorier\w{0,4}|vergiss|vergessen|missacht\w{0,4}"
     r"|beacht\w{0,4}~nicht)~(?:sie~)?(?:(?:\w{1,14})~){0,3}?(?:vorherig\w{0,2}|bisherig\w{0,2}|vorangegangen\w{0,2}"
     r"|vorig\w{0,2}|fruher\w{0,2}|obig\w{0,2}|alle|deine|ihre|"
     r"samtliche)~(?:\w{1,14}~){0,2}?(?:anweisung|instruktion|vorgabe|befehl|systemprompt|prompts|richtlinie|regeln)")),
    ("override", "ignor olvid descart omiso esque desconsider dimentic trascur",
     (r"(?:ignor[aei]\w{0,4}|olvid[aeo]\w{0,4}|descart[ae]\w{0,3}|ha(?:z|ga)~caso~omiso~de|esquec\w{1,4}"
     r"|desconsider\w{1,3}|dimentic\w{1,5}|trascur\w{1,4})~(?:\w{1,12}~){0,3}?"
     r"(?:(?:todas|tus|sus|suas|tutte|tue|vostre|seus)~(?:\w{1,12}~){0,2}(?:instruc\w{3,5}|reglas|indicaciones"
     r"|regras|diretrizes|istruzioni|regole|direttive|ordenes|ordens)|"
     r"(?:instrucciones|reglas|indicaciones|ordenes|instrucoes|regras|diretrizes|ordens|istruzioni|regole"
     r"|direttive)~(?:\w{1,12}~)?(?:anteriores|previas|precedenti|do~sistema|del~sistema|di~sistema|iniciales"
     r"|iniciais))")),
    ("override", "忽略 无视 無視 忘记 忘記 忽視 理会",
     (r"(?:忽略|无视|無視|忘记|忘記|忽視|不要理会)[^\n。]{0,8}?(?:之前|以前|先前|上述|上面|此前|前面|所有|全部|原有|你的)[^\n。]{0,8}?(?:指令|指示|规则|規則|說明|说明|提示"
     r"|命令|要求)")),
    ("override", "無視 忘れ 破棄 従わ",
     r"(?:以前|これまで|前|上記|先|すべて|全て|今まで|システム)[^\n。]{0,8}?(?:指示|命令|ルール|規則|プロンプト|指令|制約)[^\n。]{0,6}?(?:無視|忘れ|破棄|従わない)"),
    ("override", "игнорир забудь забыть отмени внимания",
     (r"(?:(?:про)?игнорир\w{1,5}|забудь\w{0,2}|забыть|отмени\w{0,2}"
     r"|не~обращай\w{0,2}~внимания~на)~(?:\w{1,14}~){0,2}?(?:предыдущ\w{1,3}|прежн\w{1,3}|прошл\w{1,3}|ранее|все\w?"
     r"|вышеуказанн\w{1,3}|системн\w{1,3})~(?:\w{1,14}~){0,2}?"
     r"(?:инструкц|правил|указани|команд|подсказ|промпт|ограничени)")),
    ("exfiltration", ("reveler divulg affich montre muestra imprim mostra mostre rivel stamp verrat zeig zeige gib "
     "offenleg nenn nenne"),
     (r"(?:revel\w{1,4}|divulg\w{1,4}|affiche\w{0,2}|montre\w{0,2}|muestra\w{0,3}|imprim\w{1,3}|mostra\w{0,3}"
     r"|rivel\w{1,3}|stampa\w{0,3}|verrat\w{0,2}|zeig\w{0,2}|gib|offenlege\w{0,2}|nenne?)~(?:\w{1,14}~){0,4}?"
     r"(?:prompt~(?:systeme|du~systeme|del~sistema|do~sistema|di~sistema)|systemprompt|system-prompt|invite~systeme"
     r"|mots~de~passe|contrasenas|senhas|passworter|zugangsdaten|credenciales|credenciais|credenziali|identifiants"
     r"|cles~(?:d.)?api|"
     r"claves~(?:de~)?api|chaves~(?:de~)?api|chiavi~api|api-schlussel)")),
    ("exfiltration", "透露 泄露 洩露 显示 顯示 输出 輸出 告诉 打印 公开",
     r"(?:透露|泄露|洩露|显示|顯示|输出|輸出|告诉我|打印|公开)[^\n。]{0,8}?(?:系统提示|系統提示|密钥|密碼|密码|凭证|凭据|api)"),
    ("exfiltration", "プロンプト パスワード 認証 キー 機密",
     (r"(?:システムプロンプト|パスワード|認証情報|秘密鍵|apiキー|api キー|機密情報)"
     r"[^\n。]{0,8}?(?:表示|出力|教え|開示|漏らし|公開|送信)(?:し)?(?:て|ろ|せよ|なさい)")),
    ("exfiltration", "раскрой покажи выведи отправь сообщи",
     (r"(?:раскрой\w{0,2}|покажи\w{0,2}|выведи\w{0,2}|отправь\w{0,2}"
     r"|сообщи\w{0,2})~(?:\w{1,14}~){0,3}?(?:системн\w{1,3}~(?:промпт|подсказ)|парол|ключи|секрет|учетн)")),
    ("role", "maintenant desormais jetzt nun ahora ora sei agora теперь",
     (r"(?:(?:tu~es|vous~etes)~(?:maintenant|desormais)|du~bist~(?:jetzt|nun)|sie~sind~(?:jetzt|nun)"
     r"|(?:a partir de )?ahora~eres|ora~sei|sei~ora|agora~voce~e|voce~agora~e|ты~теперь"
     r"|теперь~ты)~(?:\w{1,14}~){0,4}?"
     r"(?:sans~(?:restriction|limite|filtre)|mode~(?:developpeur|dieu|admin)|ohne~(?:einschrankung|beschrankung"
     r"|filter)|entwicklermodus|uneingeschrankt|sin~(?:restricciones|limites|filtros)|modo~(?:desarrollador"
     r"|desenvolvedor|dios)|"
     r"senza~(?:restrizioni|limiti|filtri)|modalita~sviluppatore|sem~(?:restricoes|limites|filtros)"
     r"|без~(?:ограничени|правил|фильтр)|режим\w{0,2}~разработчик|administrat\w{0,4}|администратор|dan\b)")),
    ("role", "你现在 你現在 从现在 あなたは",
     (r"(?:你现在是|你現在是|从现在起你是|从现在开始你是)[^\n。]{0,14}?(?:管理员|管理員|不受限制|没有限制|沒有限制|开发者模式|無限制|dan)|あなたは(?:今"
     r"|これ)から[^\n。]{0,16}?(?:制限のない|管理者|開発者モード|無制限)")),
    ("permission", "demande demandez frage frag fragen pidas pida preguntes peca pergunte chiedere спрашивай проси",
     (r"(?:ne~(?:demande[zs]?|demandez)~(?:jamais|plus)|frage?n?~(?:sie~)?(?:niemals|nie|nicht~mehr)|nunca~(?:pidas"
     r"|pida|preguntes|peca|pergunte)|no~(?:pidas|preguntes)~nunca|non~chiedere~mai|никогда~не~(?:спрашивай"
     r"|проси)\w{0,2})~(?:\w{1,14}~){0,4}?"
     r"(?:confirmation|autorisation|permission|bestatigung|erlaubnis|zustimmung|genehmigung|operateur|utilisateur"
     r"|benutzer|nutzer|operator|confirmacion|permiso|aprobacion|operador|usuario|confirmacao|permissao|aprovacao"
     r"|conferma|permesso|"
     r"autorizzazione|operatore|utente|подтвержден|разрешени|оператор|пользовател)")),
    ("permission", "无需 無需 不要询问 不要征求 不用 確認 許可",
     (r"(?:无需|無需|不用|不要)(?:询问|征求|请求|再问)?[^\n。]{0,6}?(?:用户|操作员|用戶|人工)[^\n。]{0,6}?(?:确认|批准|同意|許可|许可)[^\n。]{0,4}?(?:即可|直接"
     r"|就)|(?:ユーザー|オペレーター|管理者)に?(?:の)?(?:確認|許可|承認)を?(?:求めずに|得ずに|取らずに)[^\n。]{0,20}?(?:実行|承認|削除|送信)")),
)  # fmt: skip


@cache
def _compiled(pattern: str, gap: str) -> re.Pattern[str]:
    return re.compile(unaccented(pattern).replace("~", gap))


def _anchors(given: str) -> tuple[str, ...]:
    """Split a list of anchors; each is the first characters of a word, without accents."""
    return tuple(unaccented(one)[:ANCHOR_CHARS] for one in given.split())


RULES: tuple[InstructionRule, ...] = (
    *(InstructionRule(family, _anchors(anchors), led, *patterns) for family, anchors, led, *patterns in _RULES),
    *(InstructionRule(family, _anchors(anchors), False, pattern) for family, anchors, pattern in _FOREIGN),
)
GLUED: tuple[InstructionRule, ...] = tuple(
    rule._replace(gap=r"\W{0,3}", led=False)
    for rule in RULES[: len(_RULES)]
    if rule.family in ("override", "exfiltration") and not rule.followed
)
"""The same for text whose spaces mean nothing, because every letter was separate."""
