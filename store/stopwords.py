"""English words that nearly every passage has: asked for in questions, useless for finding."""

from .stems import WORD

STOP_WORDS = frozenset(
    WORD.findall("""
    a about above after again against all also am an and any are arent as at be because been before
    being below between both but by can cannot cant could couldnt d did didnt do does doesnt doing
    done dont down during each either else ever every few for from further get gets got had hadnt
    has hasnt have havent having he hed her here heres hers herself hes him himself his how hows i
    if im in into is isnt it itd itll its itself ive just let lets ll m me might more most much must
    my myself no nor not of off on once one only or other ought our ours ourselves out over own
    please re s same shall she shes should shouldnt so some such t than that thatll thats the their
    theirs them themselves then there theres these they theyd theyll theyre theyve this those
    through to too under until up upon ve very was wasnt we well were werent weve what whatever
    whats when whens where wheres whether which while who whom whos whose why whys will with within
    without wont would wouldnt yes yet you youd youll your youre yours yourself yourselves youve
    """)
)
