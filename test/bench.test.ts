// Reports of benches: how they are merged and shown.
import t from 'tap'
import { mergeReports, renderTable, type Report } from './bench/report.js'

t.test('the latest report of a bench counts', async t => {
  const measured = { median: 1, min: 1, max: 1 }
  const row = (bench: string, subject: string) => ({
    bench,
    subject,
    unit: 's',
    largerIsBetter: false,
    measured,
  })
  const report = (at: string, ...rows: Report['rows']): Report => ({
    at,
    quick: false,
    machine: 'm',
    versions: {},
    postgresSettings: {},
    rows,
  })
  const merged = mergeReports([
    report('2026-02', row('a', 'new')),
    report('2026-01', row('a', 'old'), row('a', 'gone'), row('b', 'only')),
  ])
  t.same(
    merged.rows.map(({ bench, subject }) => `${bench} ${subject}`),
    ['a new', 'b only'],
  )
  t.match(renderTable(merged.rows), /^\| bench .*\n\| --- .*\n\| a \| new \| 1\.00 \| s \|/)
})
