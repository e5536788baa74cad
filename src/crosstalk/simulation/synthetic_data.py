"""Practice dialogues: what modules learn from where there is no corpus.

    dialogues = list(practice_dialogues("harbour", "en", 300, seed=1))

A simulated user and a system talk act by act; the world's own templates put both sides into words.
So every turn has its gold acts and states, and every dialogue its goal. Dialogue `number` depends
on the seed and its number alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import GIVEN, Setup, Simulation, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.simulation.voices import in_words
from crosstalk.system.build import WORDS
from crosstalk.system.nlg.answers import AnswerNLG
from crosstalk.system.nlg.crosswoz import generator_of, own_texts
from crosstalk.system.nlg.extraction import extract
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.parts import OWN
from crosstalk.system.parts import CORRECTED, phrases_of
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world


def practice_dialogues(
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    user: str = "best",
    nlg: str = "best",
    data: Path | None = None,
    start: int = 0,
) -> Iterator[Dialogue]:
    """So many dialogues in words, from number `start` on.

    The default user greets, thanks, names places and repeats itself as people do; `user="rule"` is
    the published one. `nlg="template"` says it in any words there are, not in the most usual ones.
    """
    simulation = build(
        Setup(world_name, language, data, user=user, words=True, nlg=nlg, user_nlg=nlg)
    )
    sampler = replace(goal_sampler(simulation.world), describer=None)  # nobody reads these goals
    for number in range(start, start + count):
        yield _practised(simulation, sampler.sample(goal_rng(seed, number)), seed, number)


def dialogues_in_words_of(
    corpus: Sequence[Dialogue],
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    data: Path | None = None,
) -> Iterator[Dialogue]:
    """Simulated dialogues in the words of a corpus: templates are cut from its turns.

    Where the world has sayings of its own, and for acts that no corpus has, the system's sentences
    are those that every system of ours uses. Our rule user and our learned one hold one half each.
    """
    voices: dict[Speaker, Generator] = {}
    for number in range(count):
        if number in (0, count // 2):
            user = "trees" if number else "rule"
            simulation = build(Setup(world_name, language, data, user=user))
            sampler = replace(goal_sampler(simulation.world), describer=None)
            voices = voices or dict(_voices_of(corpus, simulation.world))
        talked = replace(simulation, voices=voices)
        yield _practised(talked, sampler.sample(goal_rng(seed, number)), seed, number)


def _voices_of(corpus: Sequence[Dialogue], world: World) -> Iterator[tuple[Speaker, Generator]]:
    folder = world.folder or find_world(world.name)
    book = phrases_of(folder, world)
    for speaker in Speaker:
        texts = extract(corpus, ActKeys.of(world.schema, world.language, speaker))
        own = own_texts(folder / OWN, speaker) if speaker is Speaker.SYSTEM else {}
        generator = generator_of({**texts, **own}, world, speaker)
        if book is not None and speaker is Speaker.SYSTEM:
            yield speaker, AnswerNLG(generator, world, book)
        else:
            yield speaker, generator


def misheard_dialogues(
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    nlu: str,
    protocol: str = CORRECTED,
    data: Path | None = None,
    models: Path | None = None,
    start: int = 0,
) -> Iterator[Dialogue]:
    """The same in words, with a system that understands with `nlu` and makes its mistakes.

    The rule user draws any template, under the protocol `paper` as published; it is handed the
    system's acts. Every turn has the acts that were meant, whatever was understood.
    """
    setup = Setup(world_name, language, data, models, user="rule", level=WORDS, nlu=nlu)
    simulation = build(replace(setup, user_nlu=GIVEN, user_nlg="template", user_protocol=protocol))
    sampler = replace(goal_sampler(simulation.world), describer=None)
    for number in range(start, start + count):
        yield _practised(simulation, sampler.sample(goal_rng(seed, number)), seed, number)


def _practised(simulation: Simulation, goal: Goal, seed: int, number: int) -> Dialogue:
    name = f"practice {seed}:{number}"
    user, system = simulation.cast(goal, name)
    held = talk(user, system, schema=simulation.world.schema, goal=goal, patience=0)
    states = [turn.user_state for turn in held.turns if turn.speaker is Speaker.USER]
    return Dialogue(
        id=f"{simulation.world.name}-practice-{seed}-{number}",
        turns=in_words(held.turns, simulation.voices, name),
        goal=goal,
        final_goal=states[-1] if states else goal.tuples,
        language=simulation.world.language.code,
        world=simulation.world.name,
        extras={"ending": str(held.ending)},
    )
