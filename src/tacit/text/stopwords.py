"""English words without a topic, which are removed from queries, never from the index.

Contractions are spelt without their apostrophe. Words that name something in code can be searched: `id`, `re`, `may`.
"""

_WORDS = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
will would shall should can could might must ought
what which who whom whose when where why how
and or but nor if then else than as so because while until unless though although
of at by for with about against between into through during before after above below to from up down in out on off
over under again further once here there
all any both each few more most other some such no not only own same too very just also ever
im ive youre youve youd youll hes shes theyre theyve theyd theyll weve
dont doesnt didnt isnt arent wasnt werent wont wouldnt cant couldnt shouldnt hasnt havent hadnt aint
whats whos wheres whens whys hows thats theres heres lets
please tell use uses used using
"""

STOPWORDS = frozenset(_WORDS.split())
