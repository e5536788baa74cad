"""The reader on real replies and known transcripts, where the data folder has them."""

import json
import os
from pathlib import Path

import pytest

from crosstalk.evaluation.offline import judge_offline
from crosstalk.reading.conversation import ConversationReader, SaidExchange

DATA = Path(os.environ.get("CROSSTALK_DATA", "/nowhere"))
PROSE = DATA / "agent_prose" / "dev.jsonl"
TRANSCRIPTS = DATA / "transcripts" / "dev.jsonl"


@pytest.mark.skipif(not PROSE.exists(), reason="the data folder has no agent prose")
def test_replies_of_a_small_model_are_read_and_printed_calls_are_not() -> None:
    found = missed = spurious = 0
    for line in PROSE.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        users = [turn["text"] for turn in record["context"] if turn["role"] == "user"]
        agent = [turn["text"] for turn in record["context"] if turn["role"] != "user"]
        said = [SaidExchange(user, reply) for user, reply in zip(users, agent, strict=False)]
        said.append(SaidExchange(users[-1], record["reply"], record["finish_reason"] == "length"))
        reader = ConversationReader.of("harbour", record["language"])
        read = [(each.entity, each.slot) for each in reader.read(said)[-1].reading.claims]
        known = [(each["entity"], each["slot"]) for each in record["claims"]]
        if "tool-call-as-text" in record["features"]:
            assert not read
        for each in known:
            if each in read:
                read.remove(each)
                found += 1
            else:
                missed += 1
        spurious += len(read)
    assert found / (found + spurious) > 0.81
    assert found / (found + missed) > 0.73


@pytest.mark.skipif(not TRANSCRIPTS.exists(), reason="the data folder has no transcripts")
def test_transcripts_with_known_verdicts() -> None:
    lines = TRANSCRIPTS.read_text(encoding="utf-8").splitlines()
    known = [json.loads(line)["verdict"]["success"] for line in lines]
    made = [each.success for each in judge_offline(TRANSCRIPTS)]
    right = sum(one is other for one, other in zip(made, known, strict=True))
    assert right >= 0.93 * len(known)


WRITTEN = Path(__file__).parents[2] / "benchmarks" / "judging_transcripts"


@pytest.mark.parametrize("name", ["read", "kept", "second", "third"])
def test_transcripts_of_writers_who_had_not_seen_the_reader(name: str) -> None:
    """They have been read since: this holds what was reached, and says nothing about others."""
    path = WRITTEN / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    known = [json.loads(line)["verdict"] for line in lines]
    made = list(judge_offline(path))
    right = sum(m.success is k["success"] for m, k in zip(made, known, strict=True))
    blame = sum(m.blame == k["blame"] for m, k in zip(made, known, strict=True))
    alarms = sum(m.success is False for m, k in zip(made, known, strict=True) if k["success"])
    assert right >= 0.95 * len(known)
    assert blame >= 0.92 * len(known)
    assert alarms <= 0.1 * sum(k["success"] for k in known)
