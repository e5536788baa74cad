"""The options that several commands share, and the former names of options.

A command takes an option from here by its type: `def stats(file: Corpus, as_json: AsJson = False)`.
Where the type differs between commands, the constant in capitals is the option itself:
`epochs: Annotated[int, EPOCHS] = 75`.
"""

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from crosstalk.evaluation.training_dialogues import TrainingDialogues


class Format(StrEnum):
    """Corpus formats that can be written."""

    CROSSWOZ = "crosswoz"
    NATIVE = "native"
    PARQUET = "parquet"
    CONVLAB = "convlab"
    MULTIWOZ = "multiwoz"
    CHAT = "chat"


World = Annotated[
    str, typer.Option("--world", help="A world that ships with Crosstalk, or a world folder.")
]
CorpusWorld = Annotated[
    str | None,
    typer.Option(
        "--world",
        help="A world that ships with Crosstalk, or a world folder; default: the corpus's own.",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", help="Language code; default: the world's own.")
]
Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Tables = Annotated[
    Path | None,
    typer.Option("--tables", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Seed = Annotated[
    int, typer.Option("--seed", help="Random seed; the same seed gives the same output.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown tables.")]
Corpus = Annotated[
    Path,
    typer.Argument(
        help="A corpus in any supported format, zipped or not, its folder, or a run folder."
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        help="Format of the corpus, by name or as package.module:FORMAT; default: recognised.",
    ),
]
OutFile = Annotated[
    Path,
    typer.Argument(
        readable=False, help="The file to write; compressed if its name ends in .json.zip."
    ),
]
ModelFolder = Annotated[
    Path, typer.Option("--out", readable=False, help="The folder of the model.")
]
ModelsFolder = Annotated[
    Path,
    typer.Option(
        "--out", readable=False, help="The models folder; the model goes to a folder inside it."
    ),
]
EPOCHS = typer.Option("--epochs", min=1, help="Maximum number of epochs (neural networks only).")
Epochs = Annotated[int | None, EPOCHS]
EarlyStopping = Annotated[
    int | None,
    typer.Option("--patience", help="Early stopping: number of evaluations without improvement."),
]
Patience = Annotated[
    int,
    typer.Option(
        "--patience",
        min=0,
        help="Early stopping: number of rounds or epochs without improvement; 0: never stop early.",
    ),
]
Folds = Annotated[
    int,
    typer.Option("--folds", max=20, help="Cross-validate with this number of folds; 0: do not."),
]
Practice = Annotated[
    int,
    typer.Option(
        "--practice", min=10, help="Number of dialogues to simulate if there is no corpus."
    ),
]
WordVectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors", help="Word vectors to start from: a word and its numbers on each line."
    ),
]
Templates = Annotated[
    Path | None,
    typer.Option(
        "--templates",
        help="Folder of template files in the format of CrossWOZ; default: the world's own, for "
        "the world crosswoz those in the data folder (CROSSTALK_DATA).",
    ),
]
ExtractedLogs = Annotated[Path, typer.Argument(help="A folder that `logs extract` wrote.")]
CorpusOption = Annotated[
    Path, typer.Option("--data", help="A corpus in any supported format, zipped or not.")
]
To = Annotated[Format, typer.Option("--to", help="The format to write.")]
Protocol = Annotated[
    str,
    typer.Option(
        "--protocol", help="paper: as published, including known errors; corrected: without them."
    ),
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="Folder of your own trained models; they take precedence over those that ship.",
    ),
]
Workers = Annotated[int, typer.Option("-j", "--workers", min=1, help="Number of worker processes.")]
Engine = Annotated[str, typer.Option("--engine", help="local, or ray: an existing Ray cluster.")]
GoalFile = Annotated[
    Path | None, typer.Option("--goals", metavar="FILE", help="Take the goals from this file.")
]
GoalCount = Annotated[
    int | None,
    typer.Option(
        "-n", "--count", min=1, help="Number of goals in the natural mix of types; default: 100."
    ),
]
GoalsPerType = Annotated[
    int | None,
    typer.Option("--per-type", min=1, help="Number of goals of each type, drawn in order."),
]
Resume = Annotated[bool, typer.Option("--resume", help="Resume an interrupted run.")]
Count = Annotated[int, typer.Option("-n", "--count", min=1, help="Number of goals.")]
Limit = Annotated[
    int | None, typer.Option("--limit", min=20, help="Maximum number of training instances.")
]
FigureFile = Annotated[
    Path | None,
    typer.Option(
        "--figure", readable=False, help="Draw the figure to this .svg, .pdf or .png file."
    ),
]
Samples = Annotated[
    int, typer.Option("--samples", min=1, help="Bootstrap samples for the intervals.")
]
Actions = Annotated[
    bool,
    typer.Option(
        "--actions",
        help="Something is to be done in each conversation, such as a booking, and the changing "
        "tables have to end as the goal wants them. For --goals: `goals sample --actions`.",
    ),
]
Exclusions = Annotated[
    float,
    typer.Option(
        "--exclusions",
        metavar="SHARE",
        min=0,
        max=1,
        help="Share of place sub-goals with a negative constraint: without a service, dish, class.",
    ),
]
PART = "NAME, package.module:Object or file.py:Object (names: crosstalk system parts)"
JudgedModel = Annotated[
    str, typer.Option("--model", help=f"{PART}; best: the one that scores best on CrossWOZ.")
]
Nlu = Annotated[str, typer.Option("--nlu", help=f"Understands the user's words: {PART}.")]
Dst = Annotated[
    str,
    typer.Option("--dst", help=f"Tracks the state: {PART}; best: the one that the policy expects."),
]
Policy = Annotated[str, typer.Option("--policy", help=f"Decides what to say: {PART}.")]
Nlg = Annotated[str, typer.Option("--nlg", help=f"Puts the system's acts into words: {PART}.")]
Agent = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="AGENT",
        help="system (ours, by its parts), openai:MODEL or openai:MODEL@URL, python:module:name, "
        'python:file.py:name, cmd:"program ...", http:URL or a2a:URL.',
    ),
]
AgentPrompt = Annotated[
    Path | None,
    typer.Option("--prompt", metavar="FILE", help="Prompt of a language model; default: ours."),
]
AgentTools = Annotated[
    str,
    typer.Option(
        "--tools",
        help="How a model calls tools: auto (asked once), native, json, text or none. For http and "
        "a2a: mcp offers our tools over MCP (with --actions they always are).",
    ),
]
McpListen = Annotated[
    str,
    typer.Option(
        "--mcp-listen",
        metavar="HOST:PORT",
        help="Where agents of http and a2a find our tools; port 0 is any free one.",
    ),
]
McpUrl = Annotated[
    str,
    typer.Option(
        "--mcp-url",
        metavar="URL",
        help="The same as they see it, through a tunnel or from a container.",
    ),
]
User = Annotated[
    str,
    typer.Option(
        "--user",
        help=f"The simulated user: {PART}; or openai:MODEL or openai:MODEL@URL, a language model "
        "that gets the goal in words and talks freely.",
    ),
]
UserVoice = Annotated[
    str,
    typer.Option(
        "--user-voice",
        metavar="MODEL",
        help="openai:MODEL or openai:MODEL@URL: a language model phrases what the simulated user "
        "decides to say; every utterance is checked, else the template is said.",
    ),
]
Reader = Annotated[
    str,
    typer.Option(
        "--reader",
        metavar="MODEL",
        help="openai:MODEL or openai:MODEL@URL: a language model reads stretches of replies that "
        "our reader leaves unread.",
    ),
]
Perturbation = Annotated[
    str,
    typer.Option(
        "--perturbation",
        metavar="NAMES",
        help="Hard users: typos, plain, romanised, mixed, asr, fragments, impatient, off-topic, "
        "hostile, all-at-once, one-by-one, change-of-mind; several are joined by +.",
    ),
]
Trials = Annotated[
    int, typer.Option("--trials", min=1, help="Number of conversations per goal (for pass^k).")
]
MaxTurns = Annotated[
    int | None,
    typer.Option(
        "--max-turns",
        min=1,
        help="Number of turns each side may take; default: 15, with --actions 25.",
    ),
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout", min=0, help="Seconds a turn, and each request in it, may take; 0: no limit."
    ),
]
Concurrency = Annotated[
    int,
    typer.Option(
        "--max-concurrency", min=1, help="Number of concurrent conversations per process."
    ),
]
Temperature = Annotated[
    float, typer.Option("--temperature", min=0, help="Sampling temperature of a language model.")
]
MaxTokens = Annotated[
    int, typer.Option("--max-tokens", min=1, help="Maximum number of tokens of one reply.")
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Maximum cost of the run in dollars; then it stops."),
]
BudgetTokens = Annotated[
    int | None, typer.Option("--budget-tokens", min=1, help="Maximum number of tokens of the run.")
]
PriceIn = Annotated[
    float | None, typer.Option("--price-in", min=0, help="Dollars per million input tokens.")
]
PriceOut = Annotated[
    float | None, typer.Option("--price-out", min=0, help="Dollars per million output tokens.")
]
Cache = Annotated[
    Path | None,
    typer.Option("--cache", metavar="RUN", help="A run, or a file, whose replies are reused."),
]
CacheMode = Annotated[
    str,
    typer.Option("--cache-mode", help="auto, record (ask anew), replay (never ask), or off."),
]
JsonPointer = Annotated[
    str,
    typer.Option("--answer", metavar="POINTER", help="JSON pointer of an HTTP service's reply."),
]
HttpBody = Annotated[
    Path | None,
    typer.Option(
        "--http-body",
        metavar="FILE",
        help="JSON of the request to an HTTP service, with {message}, {messages}, {session}, "
        "{language} and {mcp} (the address of its tools) where they belong.",
    ),
]
Stream = Annotated[bool, typer.Option("--stream", help="Ask a language model for streams.")]
AGENT_OPTIONS: Mapping[str, Any] = {
    "prompt": AgentPrompt,
    "tools": AgentTools,
    "mcp_listen": McpListen,
    "mcp_url": McpUrl,
    "temperature": Temperature,
    "max_tokens": MaxTokens,
    "stream": Stream,
    "http_body": HttpBody,
    "answer": JsonPointer,
    "max_cost": MaxCost,
    "budget_tokens": BudgetTokens,
    "price_in": PriceIn,
    "price_out": PriceOut,
    "cache": Cache,
    "cache_mode": CacheMode,
}
"""Field of `AgentOptions` -> the option that gives it, the same in every command."""
AGENT_DEFAULTS: Mapping[str, Any] = {
    "tools": "auto", "mcp_listen": "127.0.0.1:0", "mcp_url": "", "temperature": 0.0,
    "max_tokens": 700, "stream": False, "answer": "", "cache_mode": "auto",
}  # fmt: skip
"""As in `AgentOptions`, which `--help` does not import; those left out are None."""


def with_agent_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of agents, which it gets as one `AgentOptions`, `asked`."""

    def run(call: Callable[..., None], given: Mapping[str, Any]) -> None:
        from crosstalk.agents.build import AgentOptions

        call(asked=AgentOptions(**given))

    return _with_options(command, AGENT_OPTIONS, AGENT_DEFAULTS, run, made="asked")


def _with_options(
    command: Callable[..., None],
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    around: Callable[[Callable[..., None], Mapping[str, Any]], None],
    made: str = "",
) -> Callable[..., None]:
    """A command with further options, which `around` gets together with the command to call.

    `made` is a parameter of the command that `around` gives and that is no option.
    """
    own = inspect.signature(command)
    kept = [each for each in own.parameters.values() if each.name != made]
    kind = inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, kind, default=defaults.get(name), annotation=option)
        for name, option in options.items()
    ]

    @functools.wraps(command)
    def run(*args: Any, **given: Any) -> None:
        others = {name: given.pop(name) for name in options}
        around(functools.partial(command, *args, **given), others)

    parameters = [*(each.replace(kind=kind) for each in kept), *added]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


Device = Annotated[
    str,
    typer.Option(
        "--device",
        envvar="CROSSTALK_DEVICE",
        help="What networks are computed on: auto, cpu, cuda, cuda:N or mps.",
    ),
]
Precision = Annotated[
    str,
    typer.Option(
        "--precision",
        envvar="CROSSTALK_PRECISION",
        help="auto, fp32, or bf16 (mixed; weights stay in fp32).",
    ),
]
COMPUTE_OPTIONS: Mapping[str, Any] = {"device": Device, "precision": Precision}


def with_compute(command: Callable[..., None]) -> Callable[..., None]:
    """A command with `--device` and `--precision`; its networks are computed so."""

    def run(call: Callable[..., None], given: Mapping[str, Any]) -> None:
        from crosstalk.training.compute import Compute, computing

        with computing(Compute(**given)):
            call()

    return _with_options(command, COMPUTE_OPTIONS, dict.fromkeys(COMPUTE_OPTIONS, "auto"), run)


RECURRENT_OPTIONS: Mapping[str, Any] = {
    "protocol": Annotated[
        str,
        typer.Option(
            "--protocol",
            help="rnn, lstm: paper (100 passes, bias, first words of long texts) or corrected.",
        ),
    ],
    "units": Annotated[
        int | None, typer.Option("--units", min=1, help="rnn, lstm: units; published: 50, 200.")
    ],
    "batch": Annotated[
        int | None, typer.Option("--batch", min=1, help="rnn, lstm: pairs per step and process.")
    ],
    "rate": Annotated[
        float | None, typer.Option("--rate", min=1e-9, help="rnn, lstm: learning rate.")
    ],
    "patience": Annotated[
        int | None,
        typer.Option(
            "--patience", min=0, help="rnn, lstm: passes without a better score; 0: never stop."
        ),
    ],
    "frozen": Annotated[
        int | None,
        typer.Option("--frozen", min=0, help="rnn, lstm: passes in which --vectors are frozen."),
    ],
    "bias": Annotated[
        bool | None,
        typer.Option(
            "--bias/--no-bias", help="rnn, lstm: a bias in the score.", show_default=False
        ),
    ],
    "validation": Annotated[
        Path | None,
        typer.Option(
            "--validation",
            help="rnn, lstm: an evaluation file that chooses the epoch; default: dialogues that "
            "are held out.",
        ),
    ],
}


def with_recurrent_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of recurrent rankers, which it gets as `recurrent`."""

    def run(call: Callable[..., None], given: Mapping[str, Any]) -> None:
        from crosstalk.retrieval.rankers import RecurrentOptions

        call(recurrent=RecurrentOptions(**given))

    defaults = {"protocol": "corrected"}
    return _with_options(command, RECURRENT_OPTIONS, defaults, run, made="recurrent")


Host = Annotated[
    str, typer.Option("--host", help="Address to listen on; 0.0.0.0 accepts other machines.")
]
Port = Annotated[
    int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0: any free one.")
]
PublicAddress = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="URL",
        envvar="CROSSTALK_ADDRESS",
        help="Public address of the site, behind a proxy.",
    ),
]
TrustedProxy = Annotated[
    list[str] | None,
    typer.Option(
        "--trusted-proxy",
        metavar="CIDR",
        envvar="CROSSTALK_TRUSTED_PROXY",
        help="A proxy (address or network, repeatable) whose header tells the client's address.",
    ),
]
ClientHeader = Annotated[
    str,
    typer.Option(
        "--client-header",
        metavar="NAME",
        envvar="CROSSTALK_CLIENT_HEADER",
        help="Header in which a trusted proxy tells it; also Forwarded or X-Real-IP.",
    ),
]
WorkFile = Annotated[
    Path, typer.Argument(help="Records of Appendix A, as `translate start` writes.")
]


def language_code(code: str | None) -> str | None:
    """A language code as given; it becomes a part of file names, so nothing else will do."""
    if code is not None and not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*", code):
        raise typer.BadParameter(f"{code!r} is no language code; give one such as de or pt-BR")
    return code


SourceCode = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="CODE",
        callback=language_code,
        help="Source language; default: the one the records name.",
    ),
]
TargetCode = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="CODE",
        callback=language_code,
        help="Target language; default: the one the records name.",
    ),
]
GlossaryFile = Annotated[
    Path | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        help="Glossary (JSON, CSV or TSV) with one translation per value.",
    ),
]
Rate = Annotated[float, typer.Option("--rate", min=0, help="Cost of an hour of work.")]


def steps(minimum: int | None = None) -> Any:
    """`--steps`, whose least value depends on the schedule of the training."""
    return typer.Option("--steps", min=minimum, help="Number of training steps.")


def learning_rate(minimum: float | None = None) -> Any:
    return typer.Option("--rate", min=minimum, help="Peak learning rate.")


RENAMED: Mapping[tuple[str, ...], Mapping[str, str]] = {
    ("simulate",): {
        "--tracker": "--dst",
        "--repeat": "--trials",
        "--exchanges": "--max-turns",
        "--patience": "--timeout",
        "--jobs": "--workers",
    },
    ("demo",): {"--jobs": "--workers"},
    ("logs", "extract"): {"--jobs": "--workers"},
    ("evaluate", "speech"): {"--turns": "--max-turns"},
    ("transfer", "specialise"): {"--most": "--limit"},
    ("transfer", "instances"): {"--most": "--limit"},
}
"""Command -> former name of an option -> its name; former names work for one more release."""


def with_current_names(words: Sequence[str]) -> list[str]:
    """The words of a command line with former option names replaced; a notice goes to stderr."""
    for command, names in RENAMED.items():
        if tuple(words[: len(command)]) == command:
            return [*command, *_current(words[len(command) :], names)]
    return list(words)


def _current(words: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    for position, word in enumerate(words):
        if word == "--":  # only arguments follow
            yield from words[position:]
            return
        option, equals, value = word.partition("=")
        if option in names:
            notice = (
                f"{option} is now called {names[option]}; the old name goes with the next release"
            )
            print(f"crosstalk: {notice}", file=sys.stderr)
            option = names[option]
        yield option + equals + value


Balanced = Annotated[
    str,
    typer.Option(
        "--balance",
        help="Chat of a run: as many dialogues of each goal type (type), of each combination of "
        "domains (domain) or of each language (language) as the rarest has.",
    ),
]


def chosen_dialogues(run: Path, balance: str, data: Path | None) -> "TrainingDialogues":
    """The dialogues of a run that a model may learn from."""
    from crosstalk.cli.output import TERMINAL
    from crosstalk.evaluation.training_dialogues import Balance, training_dialogues

    if balance not in list(Balance):
        known = ", ".join(Balance)
        raise typer.BadParameter(f"{balance!r} is unknown; give {known}", param_hint="--balance")
    return training_dialogues(run, balance=Balance(balance), data=data, reporter=TERMINAL)


Store = Annotated[str, typer.Option("--store", metavar="PATH|URL", help="The store of the site.")]
