/** Of the three programs behind `npm run bench`. */
export const USAGE = `usage: npm run bench -- [--only NAME] [--quick]
  --only NAME     bytes or end-to-end (default: both, five minutes)
  --quick         do the benches still work? their figures mean nothing
  --gate          one short row of each kind, compared with test/bench/gate/table.json: --write
                  writes the table, --only ROW measures one row, --kept SHARE is what may fall
  --against DIR   the rows of the gate in turns with another checkout that is built, --rounds N
                  times (3); --only ROW measures one row`
