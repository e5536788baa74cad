"""The assistant as a participant: simulated users can talk to it, in words."""

from dataclasses import dataclass

from crosstalk.conversation.participants import Reply
from crosstalk.dialogue.dialogues import Turn
from crosstalk.simulation.assistant.assistant import Assistant
from crosstalk.simulation.assistant.session import Session


@dataclass(frozen=True, slots=True)
class AssistantParticipant:
    """Reads the words of what it hears and nothing else."""

    assistant: Assistant

    def begin(self) -> Session:
        return self.assistant.begin()

    def reply(self, heard: Turn | None, state: Session) -> tuple[Reply, Session]:
        if heard is None:
            raise ValueError("the assistant speaks after the user, never first")
        _, after = self.assistant.reply(heard.text, state)
        return Reply(after.history[-1]), after
