/** Of the three programs behind `npm run bench`. */
export const USAGE = `usage: npm run bench -- [--only NAME] [--quick] [--json FILE] [--data DIR]
  --list          prints the names of the benches
  --only NAME     one bench; can be given several times (default: all, more than an hour)
  --quick         does the bench still work? its figures mean nothing
  --json FILE     writes the figures too
  --data DIR      keeps filled databases for the next run
  --against DIR   in turns with another checkout that is built, --rounds N times (3)
  --gate          one short row of each kind, compared with test/bench/gate/table.json: --write
                  writes the table, --only ROW measures one row, --kept SHARE is what may fall`
