import { HOUSE_TOKENS } from '@payment-tracking/runtime'

export const STYLE = `${HOUSE_TOKENS}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; padding: 0 var(--space-4) var(--space-6); overflow-wrap: anywhere;
  border-top: 4px solid var(--accent); background: var(--page); color: var(--text); font: var(--text-body)/1.5 var(--sans);
}
body.other { border-top-color: var(--wait); }
header, main, .notice { margin-inline: auto; max-width: 76rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header {
  display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); align-items: center; padding-block: var(--space-3);
  border-bottom: 1px solid var(--line); margin-bottom: var(--space-5);
}
header a { padding-block: var(--space-2); text-decoration: none; }
header a:hover { text-decoration: underline; }
header form { margin-left: auto; }
.environment { padding: 0 .6rem; border-radius: 1rem; font-size: var(--text-small); color: var(--accent); background: var(--accent-soft); }
.other .environment { color: var(--wait); background: var(--wait-soft); font-weight: 700; }
h1 { font-size: var(--text-title); letter-spacing: -0.01em; }
h2 { font-size: var(--text-large); margin-top: var(--space-6); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
th, td { text-align: left; padding: var(--space-2) var(--space-3); border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-size: var(--text-small); color: var(--quiet); font-weight: 600; }
th::first-letter, dt::first-letter { text-transform: uppercase; }
tr:last-child > td { border-bottom: 0; }
td.text { overflow-wrap: anywhere; min-width: 10rem; }
pre { background: var(--sunken); padding: var(--space-4); border-radius: var(--radius); overflow-wrap: anywhere; white-space: pre-wrap; }
code, pre { font-family: var(--mono); font-size: 0.92em; }
input, button, select {
  font: inherit; min-height: var(--touch); padding: var(--space-1) var(--space-3); border-radius: var(--radius);
  border: 1px solid var(--line-strong); background: var(--surface); color: var(--text);
}
input[type='checkbox'], input[type='radio'] { min-height: auto; width: 1.2rem; height: 1.2rem; vertical-align: middle; accent-color: var(--button); }
label > input:not([type='checkbox'], [type='radio']) { margin-left: var(--space-1); }
button { cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
svg { width: 100%; height: 6rem; display: block; }
rect { fill: var(--series-1); }
.notice, .failure { padding: var(--space-2) var(--space-4); border-radius: var(--radius); }
.notice { color: var(--good); background: var(--good-soft); }
.failure { color: var(--bad); background: var(--bad-soft); }
.quiet { color: var(--quiet); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin-bottom: var(--space-3); }
.filters label::first-letter { text-transform: uppercase; }
time { white-space: nowrap; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: var(--space-3); }
.card {
  border: 1px solid var(--line); border-radius: var(--radius); padding: var(--space-3) var(--space-4);
  background: var(--surface); color: var(--quiet); text-decoration: none;
}
a.card:hover { border-color: var(--accent); }
.card .threshold { display: block; font-size: var(--text-small); }
.card.past { border-color: var(--bad); background: var(--bad-soft); }
.past, .card.past b, .card.past .threshold { color: var(--bad); font-weight: 600; }
tr.past td { background: var(--bad-soft); }
tr.past td, tr.past a { color: var(--bad); }
.chart { margin: 0; }
.chart .axis { display: flex; justify-content: space-between; gap: var(--space-4); color: var(--quiet); font-size: var(--text-small); }
.chart svg { border-block: 1px solid var(--line); }
.card b { display: block; font-size: var(--text-figure); line-height: 1.2; color: var(--text); font-variant-numeric: tabular-nums; }
`
