"""The chat format is what chat templates of language models take."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jinja2
import pytest

from crosstalk.corpora.chat import chat_record
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.corpus_world import WorldLookUps
from crosstalk.simulation.synthetic_data import practice_dialogues

STRICT = """
{%- if messages[0].role == 'system' %}{{ messages[0].content }}
{%- set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}
{%- for tool in tools or [] %}
{{ tool.function.name + ': ' + tool.function.description }}
{%- for key, schema in tool.function.parameters.properties.items() %} {{ key }}={{ schema.type }}
{%- endfor %}{% endfor %}
{%- set open = namespace(id='', name='', last='') %}
{%- for message in rest %}
{%- if message.content is not string %}{{ raise('content must be text') }}{% endif %}
{%- if message.role == 'system' %}{{ raise('a system message comes first') }}
{%- elif message.role == 'tool' %}
{%- if message.tool_call_id != open.id or message.name != open.name %}
{{- raise('an answer to no call') }}{% endif %}
<tool>{{ message.content }}{% set open.id = '' %}
{%- else %}
{%- if open.id %}{{ raise('a call without its answer') }}{% endif %}
{%- if message.role == open.last %}{{ raise('two messages of one side') }}{% endif %}
{%- if not message.tool_calls %}{% set open.last = message.role %}{% endif %}
<{{ message.role }}>{{ message.content }}
{%- for call in message.tool_calls or [] %}
<call>{{ call.function.name }}
{%- for key, value in call.function.arguments.items() %} {{ key }}={{ value | tojson }}
{%- endfor %}{% set open.id = call.id %}{% set open.name = call.function.name %}
{%- endfor %}{% endif %}{% endfor %}
"""
"""Asks for what real templates ask for: objects, texts, ids, names, alternation."""


def refuse(message: str) -> None:
    raise jinja2.TemplateError(message)


def rendered(record: dict[str, Any]) -> str:
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(STRICT)
    messages = [{"tool_calls": [], **message} for message in record["messages"]]
    return template.render(messages=messages, tools=record.get("tools"), **{"raise": refuse})


@pytest.fixture(scope="module")
def talks() -> list[Dialogue]:
    return list(practice_dialogues("harbour", "en", 4, seed=1, user="rule"))


def test_simulated_dialogues(talks: list[Dialogue]) -> None:
    lookups = WorldLookUps()
    texts = [rendered(chat_record(each, lookups(each))) for each in talks]
    assert all("<call>search_" in text and '<tool>{"count": ' in text for text in texts)


def test_arguments_that_are_no_object_are_wrapped(tmp_path: Path) -> None:
    """Taskmaster 4 has some; templates ask for objects."""
    call = {"name": "add", "arguments": '{"item": ""latte""}', "result": "{}"}
    turns = (
        Turn(Speaker.USER, "A latte."),
        Turn(Speaker.SYSTEM, "Done.", extras={"agent": {"tool_calls": [call]}}),
    )
    talk = Dialogue("1", turns)
    assert '<call>add unparsed="{' in rendered(chat_record(talk))
    write_corpus([talk], tmp_path / "chat.jsonl", to="chat")
    (back,) = read_corpus(tmp_path / "chat.jsonl")
    assert back.turns[1].extras["agent"]["tool_calls"] == [call]


@pytest.mark.skipif(find_spec("trl") is None, reason="TRL, whose templates are rendered, is absent")
def test_templates_that_trl_ships(talks: list[Dialogue]) -> None:
    from transformers.utils.chat_template_utils import _compile_jinja_template

    spec = find_spec("trl")
    assert spec is not None and spec.origin is not None
    templates = sorted((Path(spec.origin).parent / "chat_templates").glob("*.jinja"))
    capable = [each for each in templates if "tools" in each.read_text()]
    lookups = WorldLookUps()
    records = [chat_record(each, lookups(each)) for each in talks]
    for path in capable:
        template = _compile_jinja_template(path.read_text())
        for record in records:
            text = template.render(messages=record["messages"], tools=record["tools"])
            assert "search_" in text, path.name
    assert capable


@pytest.mark.parametrize("name", ["sgd/dev.zip", "taskmaster/tm4.zip", "camrest/val.json.zip"])
def test_corpora_of_others(name: str, data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / "corpora" / name
    if not source.exists():
        pytest.skip(f"real data: corpora/{name} is not in CROSSTALK_DATA")
    write_corpus(read_corpus(source), tmp_path / "chat.jsonl", to="chat")
    for line in (tmp_path / "chat.jsonl").read_text("utf-8").splitlines()[:20]:
        assert rendered(json.loads(line))
