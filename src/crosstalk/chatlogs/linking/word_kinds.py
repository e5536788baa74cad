"""Kinds of words that tell what a line is for."""

from enum import IntFlag


class WordKind(IntFlag):
    """One bit each; a word may be of several kinds."""

    GREETING = 1
    THANKS = 2
    SHORT_ANSWER = 4
    EVERYBODY = 8
    ASKING = 16
    TROUBLE = 32
    NAME = 64
    TELLING_NAME = 128
    """Known by itself, in the middle of a line too."""


WORDS = {
    WordKind.GREETING: "hi hello hey hiya howdy greetings yo hola morning",
    WordKind.THANKS: "thanks thank thx ty cheers tnx thanx tks",
    WordKind.SHORT_ANSWER: (
        "yes no yeah yep nope ok okay sure right yup ah oh lol hmm k cool nice great heh haha true "
        "exactly well but and"
    ),
    WordKind.EVERYBODY: "anyone anybody someone somebody everyone guys folks",
    WordKind.ASKING: "how what where which why who when does can is",
    WordKind.TROUBLE: "help problem question trying installed need want issue error just",
}
"""All but names, which every log has its own of."""
