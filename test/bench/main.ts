// `npm run bench`: which of the three programs of this folder runs.
const USAGE = `usage: npm run bench -- [--only NAME] [--quick] [--json FILE] [--data DIR]
  --list          prints the names of the benches
  --only NAME     one bench; can be given several times (default: all, more than an hour)
  --quick         does the bench still work? its figures mean nothing
  --json FILE     writes the figures too
  --data DIR      keeps filled databases for the next run
  --against DIR   in turns with another checkout that is built
  --gate          one short row of each kind, compared with test/bench/gate/table.json`

const args = process.argv.slice(2)
if (args.includes('--help')) console.log(USAGE)
else if (args.includes('--gate')) await import('./gate/main.js')
else if (args.some(arg => /^--against(=|$)/.test(arg))) await import('./against.js')
else await import('./run.js')
