"""Machine partners from our own parts: the pipeline as wizard, the simulator as user.

They read a room as the annotation reads a corpus: what a person has said is what their ticks, forms
and selections show, so no word needs to be understood. Nothing is kept between two turns.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from crosstalk.annotation.annotator import Annotator
from crosstalk.collection.events import Role
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.machine_turns import told
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, Tuples
from crosstalk.dialogue.participants import Reply
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.system.pipeline import SystemSession
from crosstalk.users.simulator import UserMove, is_finished
from crosstalk.worlds.world import find_world


@dataclass(frozen=True)
class PipelineMachines:
    """Plays either side of any room of one world."""

    simulation: Simulation
    annotator: Annotator
    context: WorldContext

    def can_play(self, role: Role) -> bool:
        return True

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        turns = self._understood(room)
        rng = Random(f"{seed} {len(turns)}")
        plays_wizard = role is Role.WIZARD
        reply = self._answer(turns) if plays_wizard else self._pursue(room, turns, rng)
        text = self.simulation.generators[role.speaker].say(reply.turn.acts, rng)
        return replace(reply, turn=replace(reply.turn, text=text))

    def _understood(self, room: Room) -> tuple[Turn, ...]:
        """Every turn with its acts: as a machine meant them, or as the annotation derives them."""
        given = room.conversation.turns
        derived = self.annotator.annotate(dialogue_of(0, room)).turns
        ticks, turns = iter(room.ticks), list[Turn]()
        for turn, other in zip(given, derived, strict=True):
            ticked = next(ticks) if turn.speaker is Speaker.USER else ()
            turns.append(turn if turn.acts else replace(turn, acts=_with_ticks(other, ticked)))
        return tuple(turns)

    def _answer(self, turns: tuple[Turn, ...]) -> Reply:
        """The system's reply, its belief tracked again from the turns before."""
        system = self.simulation.pipeline
        session = system.begin()
        belief, history = session.belief, session.history
        for turn in turns[:-1]:
            history = (*history, turn)
            if turn.speaker is Speaker.USER:
                belief = system.tracker.update(belief, history)
        return system.reply(turns[-1], SystemSession(belief, history))[0]

    def _pursue(self, room: Room, turns: tuple[Turn, ...], rng: Random) -> Reply:
        goal = wanted_now(room.goal, room.cells)
        simulator = self.simulation.simulator
        if not turns:
            move = simulator.open(goal, rng)
        else:
            said = turns[-2].acts if len(turns) > 1 else ()
            move = simulator.respond(goal, room.cells, said, self._heard(room, turns[-1]), rng)
        return _as_reply(move)

    def _heard(self, room: Room, turn: Turn) -> tuple[Act, ...]:
        """What the wizard has just said; nobody has written down yet what was learned from it."""
        if room.conversation.turns[-1].acts:
            return turn.acts
        return tuple(sorted({*turn.acts, *told(self.context, room.cells, turn)}))


def _with_ticks(turn: Turn, ticks: tuple[int, ...]) -> tuple[Act, ...]:
    """Acts with those of cells that are ticked once more, which no state shows."""
    state, acts = turn.user_state or (), set(turn.acts)
    said = {(act.domain, act.slot) for act in turn.acts}
    for each in (state[tick] for tick in ticks):
        if (each.domain, each.slot) in said:
            continue
        if each.is_open:
            acts.add(Act(REQUEST, each.domain, each.slot, ""))
        elif isinstance(each.value, str):
            acts.add(Act(INFORM, each.domain, each.slot, each.value))
    return tuple(sorted(acts))


def _as_reply(move: UserMove) -> Reply:
    turn = Turn(Speaker.USER, "", move.acts, user_state=move.tuples)
    return Reply(turn, done=is_finished(move.tuples))


def wanted_now(goal: Goal, cells: Tuples) -> Goal:
    """The goal with the constraints that were changed on the way."""
    tuples = tuple(
        wanted
        if wanted.is_open or isinstance(wanted.value, Reference)
        else wanted.filled(now.value)
        for wanted, now in zip(goal.tuples, cells, strict=True)
    )
    return replace(goal, tuples=tuples)


def build_machines(
    world: str, language: str, *, data: Path | None = None, models: Path | None = None
) -> PipelineMachines:
    """Raises in words where the world or the language lacks what machines need."""
    simulation = build(Setup(world, language, data=data, models=models, words=True))
    annotator = Annotator.of(simulation.world, find_world(world))
    return PipelineMachines(simulation, annotator, WorldContext(simulation.world))
