/** The colours and tones are those of the console. */
export const STYLE = `
:root {
  color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --good: light-dark(#0a6b32, #6fd08c); --bad: light-dark(#a8071a, #ff9c93); --quiet: light-dark(#565d68, #a5adba);
  --link: light-dark(#0b57d0, #a8c7fa); --line: light-dark(#d5d9e0, #3a414d);
  background: light-dark(#fff, #13171f); color: light-dark(#1f2430, #e3e7ee);
}
body { margin: 0 auto; max-width: 78rem; padding: 1rem; overflow-wrap: anywhere; }
a { color: var(--link); }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: baseline; border-bottom: 1px solid var(--line); margin-bottom: 1rem; }
header form { margin-left: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.text { overflow-wrap: anywhere; min-width: 10rem; }
pre { background: #8881; padding: 1rem; overflow-wrap: anywhere; white-space: pre-wrap; }
input, button { font: inherit; padding: .2rem .5rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; }
dd { margin: 0; }
svg { width: 100%; height: 6rem; display: block; }
rect { fill: var(--link); }
.notice { padding: .5rem 1rem; border-left: 4px solid var(--good); }
.failure { padding: .5rem 1rem; border-left: 4px solid var(--bad); color: var(--bad); }
.quiet { color: var(--quiet); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
.cards { display: flex; flex-wrap: wrap; gap: 1rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1.25rem; min-width: 9rem; }
.card b { display: block; font-size: 1.6rem; }
`
