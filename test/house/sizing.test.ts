// The tables of docs/sizing.md are what `npm run operate -- sizing` computes, and the model of Redis is near what was measured.
import t from 'tap'
// @ts-expect-error a script without types
import { inUnits, MEASURED_REDIS, redisMicroseconds, size } from '../../scripts/sizing.mjs'
import { drawTable, replaceTables } from '../documents/table.js'
import { holdDocument, read } from '../repository.js'

interface Size {
  averagePerSecond: number
  peakPerSecond: number
  pods: Record<string, number>
  databaseBytes: number
  streamBytes: number
  redisBytesPerSecond: number
  socketBytes: number
}
const compute = size as (input: Record<string, number>) => Size
const microseconds = redisMicroseconds as (pods: number) => number
const written = inUnits as (bytes: number) => string
const measurements = Object.entries(MEASURED_REDIS as Record<string, number>)

const plan = { payments: 1e8, sockets: 1e4, peak: 20, years: 1, days: 30 }
const two = (value: number) => String(Number(value.toPrecision(2)))
const count = (value: number) => (value < 1e6 ? `${value / 1e3} k` : `${value / 1e6} M`)

const payments = [1e6, 1e7, 1e8].map(each => {
  const { averagePerSecond, peakPerSecond, pods, databaseBytes, streamBytes } = compute({
    ...plan,
    payments: each,
  })
  return [
    count(each),
    `${two(averagePerSecond)}, ${two(peakPerSecond)}`,
    `${pods.ingest} · ${pods.api} · ${pods['webhook-worker']}`,
    written(databaseBytes),
    written(streamBytes),
  ]
})
const sockets = [1e4, 1e5, 1e6].map(each => {
  const { pods, socketBytes, redisBytesPerSecond } = compute({ ...plan, sockets: each })
  return [count(each), String(pods.realtime), written(socketBytes), `${written(redisBytesPerSecond)}/s`]
})
const redis = measurements.map(([pods, measured]) => {
  const computed = microseconds(Number(pods))
  return [pods, String(measured), two(computed), two(600_000 / computed)]
})

t.test('the tables are those of the script', async t => {
  const tables = replaceTables(read('docs/sizing.md'), [
    drawTable([
      ['payments', 'average, peak a second', 'ingest · api · workers', 'Postgres a year', 'NATS, 30 days'],
      ...payments,
    ]),
    drawTable([
      [
        'sockets',
        'realtime pods',
        'memory',
        `out of Redis at ${two(compute(plan).peakPerSecond)} payments a second`,
      ],
      ...sockets,
    ]),
    drawTable([
      ['pods', 'µs of Redis a payment, measured', 'model', 'payments a second of one Redis'],
      ...redis,
    ]),
  ])
  holdDocument(t, 'docs/sizing.md', tables)
})

t.test('what Redis takes for a payment is near the model', async t => {
  for (const [pods, measured] of measurements)
    t.ok(Math.abs(measured / microseconds(Number(pods)) - 1) < 0.16, `${measured} µs for ${pods} pods`)
})
