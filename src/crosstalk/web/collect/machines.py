"""Machine partners: the dialogue system as wizard, the simulated user as user.

They read a room as the annotation rules read a corpus: acts of people are derived from ticks, forms
and selections, so no NLU is needed. They are stateless between turns.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from crosstalk.agents.build import AgentOptions
from crosstalk.annotation.annotator import Annotator
from crosstalk.collection.events import Role
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.system.actions.action_nlu import ActionNLU
from crosstalk.system.pipeline import System, SystemSession
from crosstalk.users.action_user import ASKED, ActionUser
from crosstalk.users.simulator import UserMove, is_finished
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row
from crosstalk.worlds.world import find_world


@dataclass(frozen=True)
class PipelineMachines:
    """Plays either side of any room of one world."""

    simulation: Simulation
    annotator: Annotator
    context: WorldContext
    action_nlu: ActionNLU | None = None
    """Reads what people say about actions; None: nothing is done here."""

    def can_play(self, role: Role) -> bool:
        return True

    def reply(self, room: Room, role: Role, seed: str) -> Reply:
        turns = self._understood(room)
        rng = Random(f"{seed} {len(turns)}")
        plays_wizard = role is Role.WIZARD
        reply = self._answer(room, turns) if plays_wizard else self._wish(room, turns, rng, seed)
        text = self.simulation.generators[role.speaker].say(reply.turn.acts, rng)
        return replace(reply, turn=replace(reply.turn, text=text))

    def _understood(self, room: Room) -> tuple[Turn, ...]:
        """All turns with acts: a machine's own, or those derived by the annotation rules."""
        given = room.conversation.turns
        derived = self.annotator.annotate(dialogue_of(0, room)).turns
        ticks, turns = iter(room.ticks), list[Turn]()
        for turn, other in zip(given, derived, strict=True):
            ticked = next(ticks) if turn.speaker is Speaker.USER else ()
            if not turn.acts:
                turn = replace(turn, acts=_with_ticks(other, ticked))
                turn = self._with_actions(turn, turns)
            turns.append(turn)
        return tuple(turns)

    def _with_actions(self, turn: Turn, history: Sequence[Turn]) -> Turn:
        """A user's turn with the acts about actions that its words have."""
        if self.action_nlu is None or turn.speaker is not Speaker.USER:
            return turn
        found = self.action_nlu.understand(turn, tuple(history))
        return replace(turn, acts=(*turn.acts, *found))

    def _acted(self, system: System, turns: tuple[Turn, ...]) -> Reply:
        """The reply of a system that does something: the talk is gone through again."""
        session = system.begin()
        for heard, said in zip(turns[:-1:2], turns[1::2], strict=True):
            _, session = system.answer(heard, session)
            session = replace(session, history=(*session.history[:-1], said))
        return system.reply(turns[-1], session)[0]

    def _answer(self, room: Room, turns: tuple[Turn, ...]) -> Reply:
        """The system's reply; the belief state is tracked again from the previous turns."""
        system = self.simulation.pipeline
        if self.action_nlu is not None:
            return self._acted(system.of_session(room.goal_id, room.goal.scenario), turns)
        session = system.begin()
        belief, history = session.belief, session.history
        for turn in turns[:-1]:
            history = (*history, turn)
            if turn.speaker is Speaker.USER:
                belief = system.tracker.update(belief, history)
        return system.reply(turns[-1], SystemSession(belief, history))[0]

    def _wish(self, room: Room, turns: tuple[Turn, ...], rng: Random, seed: str) -> Reply:
        """The user's turn: what it wants to find, and then what it wants done."""
        asking = [number for number, turn in enumerate(turns) if ASKED in turn.extras]
        if not asking:
            reply = self._pursue(room, turns, rng)
            if not (reply.done and self.action_nlu and room.goal.actions):
                return reply
            last = reply.turn
        else:
            last = replace(turns[asking[0]], extras={}, acts=(Act(GENERAL, "thank"),))
        user = ActionUser(_Settled(Reply(last, done=True)), room.goal, self.context.world, seed)
        reply, state = user.reply(None, user.begin())
        for heard in turns[asking[0] + 1 :: 2] if asking else ():
            reply, state = user.reply(heard, state)
        return replace(
            reply, turn=replace(reply.turn, user_state=room.cells if asking else last.user_state)
        )

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
        """The acts of the wizard's last turn; the user's table does not reflect it yet."""
        if room.conversation.turns[-1].acts:
            return turn.acts
        return tuple(sorted({*turn.acts, *understood_acts(self.context, room.cells, turn)}))


@dataclass(frozen=True, slots=True)
class _Settled:
    """A user that has found everything."""

    last: Reply

    def begin(self) -> None:
        return None

    def reply(self, heard: Turn | None, state: None) -> tuple[Reply, None]:
        return self.last, None


class _NoActs:
    """An NLU for what is read off the ticks of people."""

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        return ()


def _with_ticks(turn: Turn, ticks: tuple[int, ...]) -> tuple[Act, ...]:
    """The derived acts plus those of cells that are ticked again, which states do not show."""
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
    """The goal with the constraints as changed during the dialogue."""
    tuples = tuple(
        wanted
        if wanted.is_open or isinstance(wanted.value, Reference)
        else wanted.filled(now.value)
        for wanted, now in zip(goal.tuples, cells, strict=True)
    )
    return replace(goal, tuples=tuples)


def build_machines(
    world: str,
    language: str,
    *,
    data: Path | None = None,
    models: Path | None = None,
    actions: bool = False,
) -> PipelineMachines:
    """Raises InputError if the world or the language lacks what machines need.

    `actions`: the system does what the world allows, and the user asks for the actions of its goal.
    """
    options = AgentOptions(actions=actions)
    setup = Setup(world, language, data=data, models=models, words=True, agent_options=options)
    simulation = build(setup)
    annotator = Annotator.of(simulation.world, find_world(world))
    nlu = ActionNLU(_NoActs(), simulation.world) if actions else None
    context = WorldContext(simulation.world, actions=actions)
    return PipelineMachines(simulation, annotator, context, nlu)


def understood_acts(context: WorldContext, cells: Tuples, turn: Turn) -> tuple[Act, ...]:
    """Acts of a wizard's turn: answers to open cells, and the places it offers."""
    acts = set(_names(context, cells, turn))
    for each in cells:
        domain = context.domain(each.domain)
        if domain is not None and each.expressed and each.is_open:
            acts.update(_answers(context, domain, each, turn))
    return tuple(sorted(acts))


def _names(context: WorldContext, cells: Tuples, turn: Turn) -> Iterator[Act]:
    """Places offered: those selected, and those that are not just neighbours of others."""
    wanted = {each.domain for each in cells if each.expressed}
    named = [(key, name) for *_, key, name in context.mentions(turn.text) if key in wanted]
    selected = {(tab.domain, name) for tab in turn.last_query or () for name in tab.selected}
    near = {each for place in (*named, *selected) for each in _neighbours(context, *place)}
    for key, name in named:
        domain = context.domain(key)
        if domain and domain.name_slot and ((key, name) in selected or (key, name) not in near):
            yield Act(INFORM, key, domain.name_slot.key, name)


def _neighbours(context: WorldContext, key: str, name: str) -> Iterator[tuple[str, str]]:
    domain, row = context.domain(key), context.database.find(key, name)
    for slot in domain.of_kind(SlotKind.NEARBY) if domain and row else ():
        cell = row[slot.key] if row else None
        yield from ((slot.target, each) for each in cell) if isinstance(cell, tuple) else ()


def _answers(
    context: WorldContext, domain: Domain, asked: SemanticTuple, turn: Turn
) -> Iterator[Act]:
    slot, text, nothing = domain.slot(asked.slot), turn.text.casefold(), context.pack.nothing
    for row in _rows(context, domain, turn):
        said = answer(context.pack, domain, row, asked.slot)
        if slot is not None and slot.kind is SlotKind.SERVICES:
            service = asked.slot.removeprefix(slot.key + SERVICE_MARK)
            found = said if service.casefold() in text else ()
        else:
            found = tuple(each for each in said if each.casefold() in text or each == nothing)
        if found:
            yield from (Act(INFORM, domain.key, asked.slot, each) for each in found)
            return


def _rows(context: WorldContext, domain: Domain, turn: Turn) -> Iterator[Row]:
    """Rows of the named places, then of the selected ones; for rides, the search results."""
    tab = turn.last_query.get(domain.key) if turn.last_query else None
    if domain.kind is not DomainKind.PLACE:
        yield from context.search(domain.key, tab.slots).rows if tab else ()
        return
    named = [name for *_, key, name in context.mentions(turn.text) if key == domain.key]
    for name in (*named, *(tab.selected if tab else ())):
        if row := context.database.find(domain.key, name):
            yield row
