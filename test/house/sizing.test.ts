// The tables of docs/sizing.md hold what `npm run sizing` computes.
import { readFileSync } from 'node:fs'
import t from 'tap'
// @ts-expect-error a script without types
import { redisMicroseconds, size } from '../../scripts/sizing.mjs'

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

const UNITS: Record<string, number> = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 }
/** @returns the number of `8.1 GB`, `100 M` or `0.4` */
const read = (text: string) => {
  const [, number, unit] = /([\d.]+) ?([kMGT]?)/.exec(text)!
  return Number(number) * (UNITS[unit!] ?? 1)
}
const document = readFileSync(new URL('../../docs/sizing.md', import.meta.url), 'utf8')
/** The rows of the table with this first column. */
const rowsOf = (first: string) =>
  document
    .split(new RegExp(`^\\| ${first} `, 'm'))[1]!
    .split('\n\n')[0]!
    .split('\n')
    .filter(row => /^\| \d/.test(row))
    .map(row => row.split('|').slice(1, -1))
const plan = { payments: 1e8, sockets: 1e4, peak: 20, years: 1, days: 30 }
/** Documents round to one or two digits. */
const isNear = (written: number, computed: number) => Math.abs(written / computed - 1) < 0.12

t.test('payments a month', async t => {
  const table = rowsOf('payments')
  t.equal(table.length, 3)
  for (const [payments, rates, processes, postgres, nats] of table) {
    const result = compute({ ...plan, payments: read(payments!) })
    const [average, peak] = rates!.split(',').map(read)
    t.ok(isNear(average!, result.averagePerSecond) && isNear(peak!, result.peakPerSecond), rates!)
    const { pods } = result
    t.equal(processes!.trim(), `${pods.ingest} · ${pods.api} · ${pods['webhook-worker']}`)
    t.ok(isNear(read(postgres!), result.databaseBytes), postgres!)
    t.ok(isNear(read(nats!), result.streamBytes), nats!)
  }
})

t.test('sockets', async t => {
  const table = rowsOf('sockets')
  t.equal(table.length, 3)
  for (const [sockets, pods, memory, redis] of table) {
    const result = compute({ ...plan, sockets: read(sockets!) })
    t.equal(Number(pods), result.pods.realtime)
    t.ok(isNear(read(memory!), result.socketBytes), memory!)
    t.ok(isNear(read(redis!), result.redisBytesPerSecond), redis!)
  }
})

t.test('what Redis takes for a payment', async t => {
  const model = redisMicroseconds as (pods: number) => number
  const table = rowsOf('pods')
  t.equal(table.length, 3)
  for (const [pods, measured, computed, most] of table) {
    const microseconds = model(Number(pods))
    t.ok(Math.abs(read(measured!) / microseconds - 1) < 0.15, `${measured} µs were measured`)
    t.ok(isNear(read(computed!), microseconds), computed!)
    t.ok(isNear(read(most!), 600_000 / microseconds), most!)
  }
})
