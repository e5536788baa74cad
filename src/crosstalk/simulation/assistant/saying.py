"""Words for what was decided: the world's templates for facts, the language file for the rest."""

from pathlib import Path
from random import Random

from crosstalk.database.problems import refuse
from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.language.phrases import Phrasebook
from crosstalk.simulation.assistant.outcome import Facts, Outcome, Piece
from crosstalk.system.nlg.banks import WrittenBank
from crosstalk.system.nlg.choosing import AnyTemplate
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.template import TemplateNLG
from crosstalk.system.nlg.written import Reader, file_name, load_written


class Wording:
    """Puts the pieces of an answer into words."""

    def __init__(self, folder: Path, world: World, book: Phrasebook) -> None:
        pack = world.language
        keys = ActKeys.of(world.schema, pack, Speaker.SYSTEM)
        self._book = book
        self._space = pack.goal.sentence_space if pack.goal else " "
        self._generator = TemplateNLG(keys, _bank(folder, world, book), AnyTemplate(), pack)

    def say(self, outcome: Outcome, turn: int) -> str:
        """The answer; the same outcome in the same turn is said in the same words."""
        rng = Random(turn)
        return self._space.join(
            text for piece in outcome.pieces if (text := self._piece(piece, rng))
        )

    def remark(self, key: str, rng: Random, **fills: str) -> str:
        ways = self._book.sentences.get(key) or ("",)
        text = rng.choice(ways)
        for name, value in fills.items():
            text = text.replace("{" + name + "}", value)
        return text

    def _piece(self, piece: Piece, rng: Random) -> str:
        if isinstance(piece, Facts):
            return self._generator.say(piece.acts, rng).strip()
        return self.remark(piece.key, rng, **piece.fills)


def _bank(folder: Path, world: World, book: Phrasebook) -> WrittenBank:
    """The world's templates, and the assistant's own on top."""
    base = WrittenBank()
    if (folder / file_name(world.language.code)).exists():
        base = load_written(folder, world.schema, world.language, Speaker.SYSTEM)
    if book.system is None:
        return base
    reader = Reader(book.system, world.schema, world.language, Speaker.SYSTEM)
    own = reader.bank()
    refuse(str(folder), reader.problems)
    return WrittenBank({**base.first, **own.first}, {**base.then, **own.then})
