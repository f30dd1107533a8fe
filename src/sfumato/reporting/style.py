"""The style of the pages, for screens of any width, light and dark, and for print.

The colors are two sets with the same names, so that a test can check every pair of text and background for a contrast of 4.5.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "panel": "#f4f5f3",
    "ink": "#1d2321",
    "soft": "#55605b",
    "line": "#d5dad6",
    "link": "#0b5c73",
    "bar": "#1f7a8c",
    "good": "#17663a",
    "bad": "#a3231f",
    "mark": "#fff3c4",
    "amber": "#7a4a00",
    "warm": "#fff4d9",
    "was": "#b9c1bc",
}
DARK = {
    "paper": "#14191a",
    "panel": "#1d2425",
    "ink": "#e6ebe8",
    "soft": "#a7b3ae",
    "line": "#3a4547",
    "link": "#7cc7da",
    "bar": "#4fa9bd",
    "good": "#7fd3a0",
    "bad": "#ff9d94",
    "mark": "#4a3f14",
    "amber": "#ffcf7a",
    "warm": "#33290f",
    "was": "#66716f",
}
# Text and the backgrounds it appears on.
READ = [
    *((text, ground) for text in ("ink", "soft", "link", "good", "bad") for ground in ("paper", "panel")),
    ("ink", "mark"),
    ("soft", "mark"),
    ("amber", "warm"),
    ("ink", "warm"),
]

_RULES = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
header,main,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em}
h2{font-size:1.3rem;line-height:1.25;margin:0 0 .75rem}
h3,h4{font-size:1.05rem;margin:1.75rem 0 .5rem}
h1,h2,h3,h4,p,li,summary,figcaption,dt,dd{overflow-wrap:anywhere}
p,ul{margin:.5rem 0 .75rem;max-width:42rem}
ul{padding-left:1.25rem}
section{padding:2rem 0 1rem;border-top:1px solid var(--line);margin-top:1.5rem}
main>section:first-child{border-top:0;margin-top:0}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,button:focus-visible,input:focus-visible,textarea:focus-visible,summary:focus-visible,[tabindex]:focus-visible{
outline:3px solid var(--link);outline-offset:2px}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em;overflow-wrap:anywhere}
pre{background:var(--panel);padding:.75rem 1rem;margin:.5rem 0;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:.375rem}
.soft{color:var(--soft)}
.word{white-space:nowrap}
pre .word{display:inline-block;white-space:pre-wrap}
#combinations tbody th{min-width:11rem}
#classes th,#classes td{white-space:nowrap}
#releases td code,#left-out td code{display:inline-block;max-width:14rem;overflow-wrap:break-word}
.paper{display:none}
.skip{position:absolute;left:-100vw;top:0;background:var(--paper);padding:.5rem 1rem}
.skip:focus{left:0}
.lead{font-size:1.0625rem}
.asked{list-style:none;padding:0;max-width:none}
.asked li{padding-left:1.6rem;position:relative;margin:.35rem 0}
.asked .tick{position:absolute;left:.25rem;font-weight:700}
.amber{background:var(--warm);border-left:.3rem solid var(--amber);padding:.75rem 1rem;margin:1rem 0}
.amber h3{color:var(--amber);margin:0 0 .25rem}
.amber ul{margin:0;max-width:none}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:0 2rem;align-items:start}
.two>*{min-width:0}
figure.small{max-width:18rem}
.legend .key{display:inline-block;width:1rem;height:.625rem;margin:0 .35rem 0 0;background:var(--bar)}
.legend .key.was{background:var(--was)}
.legend .key+.key,.legend .key:not(:first-child){margin-left:.75rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem;margin:.75rem 0}
.card{border:1px solid var(--line);border-radius:.375rem;padding:.6rem .8rem;min-width:0}
.card h3{margin:0;font-size:1rem}
.card .words{margin:.1rem 0 .5rem;font-size:.875rem}
.labels{list-style:none;padding:0;margin:.4rem 0 0;font-size:.8125rem}
.labels li{display:flex;gap:.75rem;justify-content:space-between}
.behind{padding:0;margin:0;border-top:1px solid var(--line)}
.behind summary{padding:.6rem 0}
.behind summary h3{display:inline;font-size:1rem;margin:0}
.behind details[open]{padding-bottom:1.5rem}
.behind-title{margin-top:2.5rem}
.verdict{font-weight:600;font-size:1.0625rem;border-left:.3rem solid currentColor;padding:.35rem .8rem;margin:1rem 0}
.good{color:var(--good)}
.bad{color:var(--bad)}
.note{border-left:.3rem solid var(--line);padding:.1rem .8rem;margin:1rem 0}
.note.bad{border-color:currentColor}
.scroll{overflow-x:auto;margin:.75rem 0 1rem}
table{border-collapse:collapse;font-size:.9375rem;min-width:min(100%,30rem);font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);font-size:.875rem;padding:0 0 .35rem}
caption span{position:sticky;left:0;display:inline-block;max-width:calc(100vw - 2.5rem);white-space:normal}
th,td{text-align:left;vertical-align:top;max-width:34rem;overflow-wrap:break-word;
padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-weight:600;border-bottom:2px solid var(--line);vertical-align:bottom}
tbody th{font-weight:500}
td.number,th.number{text-align:right}
tbody tr.marked>*{background:var(--mark)}
dl.terms dt{font-weight:600;margin-top:1rem}
dl.terms dd{margin:.15rem 0 0;max-width:42rem}
dl.terms p{margin:.2rem 0}
:target{scroll-margin-top:1rem;background:var(--mark)}
section:target{background:none}
figure{margin:1rem 0;max-width:34rem}
figcaption{color:var(--soft);font-size:.875rem;margin-top:.35rem}
svg{display:block;width:100%;height:auto}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:var(--ink)}
svg text.soft{fill:var(--soft)}
svg .bar,svg .dot{fill:var(--bar)}
svg .dot{fill-opacity:.65}
svg .hollow{fill:none;stroke:var(--soft);stroke-width:1}
svg .was{fill:var(--was)}
svg .now{fill:var(--bar);fill-opacity:.3;stroke:var(--bar);stroke-width:1.25}
svg .now.only{fill-opacity:1;stroke:none}
svg .node{fill:var(--was)}
svg .chosen{fill:var(--bar);stroke:var(--paper);stroke-width:2}
svg .mark{fill:var(--amber)}
svg.gauge{width:9.75rem}
svg.shares{width:7.5rem}
svg .grid{stroke:var(--line);stroke-width:1}
.pager{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.5rem 0}
.pager[hidden]{display:none}
button,input,textarea{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:.375rem;
padding:.35rem .75rem}
button{cursor:pointer;min-height:2.5rem}
button[aria-disabled=true]{color:var(--soft);border-color:var(--line);cursor:default}
.pager input{width:6.5rem;min-height:2.5rem}
summary{cursor:pointer;color:var(--link)}
.sign{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:1.25rem 2rem;margin-top:1rem}
.sign label,.sign .line{display:block;color:var(--soft);font-size:.875rem}
.sign input,.sign textarea{display:block;width:100%;color:var(--ink);font-size:1rem;margin-top:.25rem}
.sign .wide{grid-column:1/-1}
.sign .line{border-top:1px solid var(--soft);margin-top:4rem;padding-top:.25rem}
footer{color:var(--soft);font-size:.875rem;padding-top:1.5rem;padding-bottom:3rem}
@media (max-width:32rem){
  .scroll[aria-labelledby=learned-rows-caption] thead{display:none}
  .scroll[aria-labelledby=learned-rows-caption] tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
  .scroll[aria-labelledby=learned-rows-caption] :is(th,td){display:block;border:0;padding:.1rem 0;text-align:left}
  .scroll[aria-labelledby=learned-rows-caption] td:nth-child(3)::before{content:"on average: "}
  .scroll[aria-labelledby=learned-rows-caption] td:nth-child(4)::before{content:"worst class: "}
header,main,footer{padding-left:1rem;padding-right:1rem}
h1{font-size:1.4rem}
table{font-size:.875rem}
}
@page{margin:14mm 15mm}
@media print{
html{color-scheme:light;font-size:12px}
body{line-height:1.35}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
header,footer{padding-top:0;padding-bottom:0}
.skip,.pager,details:not([open]),.behind:not(:has(details[open])),.behind-title,.card.more,summary,.sign+p{display:none}
.behind summary{display:block;list-style:none;color:inherit}
#classes th,#classes td,#combinations th,#combinations td{white-space:normal;overflow-wrap:anywhere;min-width:0}
.paper{display:block}
#releases td code,#left-out td code{overflow-wrap:anywhere;min-width:6rem}
a{color:inherit;text-decoration:none}
:target,tbody tr.marked>*{background:none}
h2{margin-bottom:.3rem}
h3,h4{margin:.5rem 0 .2rem}
p,ul{margin:.2rem 0 .35rem;max-width:none}
h2,h3,h4,caption{break-after:avoid}
tr,figure,pre,.card,.amber,dl.terms dd{break-inside:avoid}
dl.terms dt{break-after:avoid}
thead{display:table-header-group}
.scroll{overflow:visible;margin:.3rem 0}
table{font-size:.9375rem;width:100%}
th,td{padding:.12rem .5rem .12rem 0}
section{padding:.5rem 0 .1rem;margin-top:.4rem}
section.behind details[open]{padding:0}
#signature{break-inside:avoid}
figure{margin:.4rem 0;max-width:9.5cm}
figure.small{max-width:5.5cm}
.two{grid-template-columns:1.35fr 1fr}
.verdict,.note,.amber{margin:.4rem 0;padding:.3rem .6rem}
.cards{grid-template-columns:repeat(3,1fr);gap:.4rem}
.card{padding:.3rem .5rem}
.card .words,.labels{font-size:.875rem;margin:0 0 .15rem}
.card svg{height:11mm}
.sign{gap:.3rem 2rem;margin-top:.3rem}
.sign .line{margin-top:1.6rem}
.sign textarea{height:2.2rem}
.sign input,.sign textarea{border:0;border-bottom:1px solid var(--soft);border-radius:0;padding-left:0;font-size:9pt}
svg rect,svg circle,.key,.amber,pre{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""


def style() -> str:
    """The style sheet; print is always light."""
    light, dark = _set(LIGHT), _set(DARK)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}{_RULES}"


def _set(colors: dict[str, str]) -> str:
    return ";".join(f"--{name}:{color}" for name, color in colors.items())


def contrast(one: str, other: str) -> float:
    """The contrast of two colors, from 1 to 21, as WCAG defines it.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
