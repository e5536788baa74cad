"""Texts that execute where a page takes text for markup. Each would set `window.hit`."""

from collections.abc import Iterator

RUN = "window.hit=1"
TAGS = (
    "<script>{run}</script>",
    "</script><script>{run}</script>",
    "<SCRIPT SRC=data:text/javascript,{run}></SCRIPT>",
    "<img src=x onerror={run}>",
    "<img src=x onerror='{run}'//",
    "<svg onload={run}>",
    "<svg><script>{run}</script></svg>",
    "<svg><animate onbegin={run} attributeName=x dur=1s>",
    "<svg><use href='data:image/svg+xml,<svg onload={run}>'>",
    "<body onload={run}>",
    "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
    "<iframe src=javascript:{run}></iframe>",
    "<object data=javascript:{run}></object>",
    "<embed src=javascript:{run}>",
    "<details open ontoggle={run}>x</details>",
    "<video><source onerror={run}></video>",
    "<audio src=x onerror={run}>",
    "<input autofocus onfocus={run}>",
    "<select autofocus onfocus={run}></select>",
    "<textarea autofocus onfocus={run}></textarea>",
    "<marquee onstart={run}>",
    "<a href=javascript:{run} id=text>click</a>",
    "<form action=javascript:{run}><button>go</button></form>",
    "<math><mtext><img src=x onerror={run}></mtext></math>",
    "<style>@import 'javascript:{run}';</style>",
    "<link rel=stylesheet href=javascript:{run}>",
    "<meta http-equiv=refresh content='0;url=javascript:{run}'>",
    "<base href=javascript:{run}//>",
    "<template><script>{run}</script></template>",
    "<noscript><p title='</noscript><img src=x onerror={run}>'>",
)
BREAKS = ("{}", '">{}', "'>{}", "]]>{}", "-->{}", "</title></textarea></style>{}", "\n{}\t")
FORMS = (
    "{{{{constructor.constructor('{run}')()}}}}",
    "${{{run}}}",
    "{{% raw %}}{run}{{% endraw %}}",
    "javascript:{run}",
    "\\u003cscript\\u003e{run}\\u003c/script\\u003e",
    "&lt;script&gt;{run}&lt;/script&gt;",
    "%3Cscript%3E{run}%3C/script%3E",
    "\u2028</script><script>{run}</script>\u2029",
    "\u202e<img src=x onerror={run}>",
    "__proto__",
    "constructor",
    '=HYPERLINK("javascript:{run}")',
)


def hostile_texts() -> Iterator[str]:
    """More than two hundred, none twice."""
    for tag in TAGS:
        yield from (form.format(tag.format(run=RUN)) for form in BREAKS)
    yield from (form.format(run=RUN) for form in FORMS)
