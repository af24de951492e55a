"""The report as one HTML page: no scripts, no other files, readable on a phone and in print."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light; --ink:#222; --muted:#5a5a5a; --rule:#ddd; --tint:#f3f6f9; --accent:#0072b2; }
body { font: 16px/1.5 system-ui, "Segoe UI", "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  color: var(--ink); background:#fff; margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .2rem 0 .4rem; }
h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p, li { max-width: 46rem; } ul { padding-left: 1.2rem; }
.small { color: var(--muted); font-size: .85rem; }
.answer { font-size: 1.25rem; font-weight: 600; color: var(--accent); margin: 1rem 0; }
.answer small { font-size: .95rem; font-weight: 400; color: var(--ink); }
.plain { --accent: #5a5a5a; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .7rem; margin: 1rem 0; }
.cards div { background: var(--tint); border-left: 3px solid var(--accent); padding: .6rem .8rem; }
.cards b { display: block; font-size: 1.35rem; color: var(--accent); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th { text-align: left; font-weight: 500; color: var(--muted); vertical-align: bottom;
  border-bottom: 1px solid var(--muted); }
th, td { padding: .35rem .5rem; }
td { border-bottom: 1px solid var(--rule); vertical-align: top; overflow-wrap: break-word; }
td:first-child { min-width: 7rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } td.n { white-space: nowrap; }
tr.best td { background: var(--tint); } tr.best td:first-child { font-weight: 600; }
i.dot { display: inline-block; width: .7em; height: .7em; border-radius: .12em; margin-right: .4em; }
img { width: 100%; height: auto; margin: .6rem 0; }
@media print { h2 { break-after: avoid; } img, table { break-inside: avoid; } }
"""


BEST = ' class="best"'


def page(document: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """The whole page.

    Args:
        document: as `document.content` gives it, complete.
        pictures: figure name → SVG.
    """
    cards = "".join(f"<div><b>{escape(value)}</b>{escape(label)}</div>" for value, label in document["cards"])
    title = escape(document["title"])
    tone = "" if document["positive"] else ' class="plain"'
    body = [
        f'<p class="small">{escape(document["kicker"])}</p>',
        f"<h1>{title}</h1>",
        f'<p class="small">{escape(document["question"])}</p>',
        f'<p class="answer">{_answer(document["answer"])}</p>',
        f'<div class="cards">{cards}</div>',
        _h2(document["compared"]["heading"]),
        _arms((document["all_arms"] or document["compared"])["table"], left=(0, 1, 8)),
        f'<p class="small">{escape(document["compared"]["below"])}</p>',
        _picture("key", document["key_figure"]["alt"], pictures),
        _h2(document["risks"]["heading"]) + _points(document["risks"]["items"]),
        _h2(document["caveats"]["heading"]) + _points(document["caveats"]["items"]),
    ]
    for idea in document["ideas"]:
        body.append(_h2(idea["heading"]))
        for figure in idea["figures"]:
            body += [_points(figure["see"]), _picture(figure["name"], figure["alt"], pictures)]
            if figure["table"]:
                body += [f"<h3>{escape(figure['table']['heading'])}</h3>", _arms(figure["table"], left=(0,))]
    config = document["config"]
    body += [_h2(config["heading"]), f'<p class="small">{escape(config["note"])}</p>']
    body += [_plain(t["head"], [r["cells"] for r in t["rows"]]) for t in config["tables"]]
    body.append(_h2(config["ignored_heading"]))
    ignored = config["ignored"]
    body.append(_plain(ignored["head"], ignored["rows"]) if ignored else f"<p>{escape(config['ignored_none'])}</p>")
    body += [
        _h2(document["real"]["heading"]),
        _plain(document["real"]["table"]["head"], document["real"]["table"]["rows"]),
    ]
    body += [_h2(document["stamp"]["heading"]), _plain((), document["stamp"]["rows"])]
    prices = document["price_cards"]
    body.append(_h2(prices["heading"]))
    body.append(
        _plain(prices["table"]["head"], prices["table"]["rows"])
        if prices["table"]
        else f"<p>{escape(prices['none'])}</p>"
    )
    body.append(f'<p class="small">{escape(document["footer"])}</p>')
    lang = "zh-CN" if document["lang"] == "zh" else "en"
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body{tone}>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _h2(heading: str) -> str:
    return f"<h2>{escape(heading)}</h2>"


def _answer(sentences: Sequence[str]) -> str:
    rest = f" <small>{escape(' '.join(sentences[1:]))}</small>" if len(sentences) > 1 else ""
    return escape(sentences[0]) + rest


def _points(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>"


def _picture(name: str, alt: str, pictures: Mapping[str, bytes]) -> str:
    coded = base64.b64encode(pictures[name]).decode()
    return f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{coded}">'


def _arms(table: Mapping[str, Any], left: Sequence[int]) -> str:
    def cell(tag: str, i: int, content: str) -> str:
        kind = "" if i in left else ' class="n"'
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{kind}{scope}>{content}</{tag}>"

    head = "".join(cell("th", i, escape(h)) for i, h in enumerate(table["head"]))
    rows = []
    for row in table["rows"]:
        dot = f'<i class="dot" style="background:{row["colour"]}"></i>'
        cells = "".join(
            cell("td", i, (dot if i == 0 else "") + escape(c).replace("\n", "<br>")) for i, c in enumerate(row["cells"])
        )
        rows.append(f"<tr{BEST if row['best'] else ''}>{cells}</tr>")
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _plain(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join('<th scope="col">' + escape(h) + "</th>" for h in head)
    top = f"<thead><tr>{titles}</tr></thead>" if head else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>{top}<tbody>{body}</tbody></table></div>'
