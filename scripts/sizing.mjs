// `npm run operate -- sizing --payments 10000000 --sockets 100000`: what a deployment needs, computed from measured figures.
// docs/sizing.md explains each figure.
import { fileURLToPath } from 'node:url'
import { runCommand } from './command.mjs'

/** The flags: what each counts, and what it is without the flag. */
const FLAGS = {
  payments: ['a month', 1_000_000],
  sockets: ['open at the peak', 10_000],
  peak: ['times the average', 20],
  years: ['kept in Postgres', 1],
  days: ['kept in NATS', 30],
}
const NAMES = Object.keys(FLAGS)
const USAGE = [
  `usage: npm run operate -- sizing ${NAMES.map(name => `[--${name} N]`).join(' ')}`,
  ...NAMES.map(name => `  --${name} N`.padEnd(16) + `${FLAGS[name][0]} (default ${FLAGS[name][1]})`),
].join('\n')

/** Measured on two cores (test/bench/RESULTS.md, HISTORY.md), and rounded up: an event takes 1.25 KB in all tables, and WAL 2.7 to 18 KB. */
const MEASURED = {
  databaseBytesPerEvent: 1_600,
  hashBytesPerEvent: 60,
  streamBytesPerEvent: 745,
  walBytesPerEvent: 12_000,
  ingestPerSecond: 6_000,
  redisBytesPerPaymentAndPod: 920,
  socketBytes: 16_300,
}
/** CPU of Redis in µs for a payment, by the number of bare subscribers, as a bench measured it once. */
export const MEASURED_REDIS = { 1: 26, 10: 60, 100: 493 }
/** The line through these points, for so many realtime pods. */
export const redisMicroseconds = pods => 22 + 4.7 * pods
/** A process of Redis uses one core; above this part of it, a burst waits. */
const REDIS_SHARE = 0.6
const EVENTS_PER_PAYMENT = 1.1
const SOCKETS_PER_POD = 10_000
const DELIVERIES_PER_WORKER = 250
const READS_PER_POD = 300
const READS_PER_SOCKET = 0.005
/** Connections to Postgres of one process with default settings; test/e2e/connections.long.test.ts holds them to the code. */
export const CONNECTIONS = { ingest: 4, api: 5, realtime: 2, console: 0, 'webhook-worker': 4, ops: 4 }

/** @returns what a deployment of this size needs */
export function size({ payments, sockets, peak, years, days }) {
  const averagePerSecond = payments / (30.44 * 86_400)
  const peakPerSecond = averagePerSecond * peak
  const events = payments * EVENTS_PER_PAYMENT
  const pods = {
    ingest: 2,
    api: Math.max(2, Math.ceil((peakPerSecond * 2 + sockets * READS_PER_SOCKET) / READS_PER_POD) + 1),
    realtime: Math.max(2, Math.ceil(sockets / SOCKETS_PER_POD) + 1),
    'webhook-worker': Math.max(2, Math.ceil(peakPerSecond / DELIVERIES_PER_WORKER)),
    // Files out of memory: the second is for availability.
    console: 2,
    ops: 1,
  }
  const connections = Object.entries(pods).reduce((sum, [name, count]) => sum + count * CONNECTIONS[name], 0)
  const redisCores = (peakPerSecond * redisMicroseconds(pods.realtime)) / 1e6
  return {
    averagePerSecond,
    peakPerSecond,
    pods,
    connections,
    databaseBytes: events * 12 * years * MEASURED.databaseBytesPerEvent,
    hashBytes: events * 12 * years * MEASURED.hashBytesPerEvent,
    walBytesPerSecond: peakPerSecond * EVENTS_PER_PAYMENT * MEASURED.walBytesPerEvent,
    streamBytes: (events / 30.44) * days * MEASURED.streamBytesPerEvent,
    redisBytesPerSecond: peakPerSecond * pods.realtime * MEASURED.redisBytesPerPaymentAndPod,
    redisCores,
    mostPaymentsPerSecond: (REDIS_SHARE * 1e6) / redisMicroseconds(pods.realtime),
    socketBytes: sockets * MEASURED.socketBytes,
    walls: [
      connections > 200 && `${connections} connections to Postgres: put PgBouncer in front`,
      events > 65_000_000 && 'the table events grows by more than 100 GB a month: EVENTS_RETENTION_MONTHS',
      peakPerSecond * EVENTS_PER_PAYMENT > MEASURED.ingestPerSecond &&
        'one writer: faster disks, or streams by gateway',
      redisCores > REDIS_SHARE &&
        `Redis' fan-out takes ${redisCores.toFixed(1)} cores: a Redis Cluster for sockets alone, ${Math.ceil(redisCores / REDIS_SHARE)} primaries`,
    ].filter(Boolean),
  }
}

export const inUnits = bytes => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let power = 0
  while (bytes >= 1_000 && power < units.length - 1) [bytes, power] = [bytes / 1_000, power + 1]
  return `${bytes.toPrecision(bytes < 100 ? 2 : 3)} ${units[power]}`
}

function print({ years, days }, result) {
  const lines = {
    payments: `${result.averagePerSecond.toFixed(2)} a second on average, ${result.peakPerSecond.toFixed(1)} at the peak`,
    processes: Object.entries(result.pods)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
    Postgres: `${inUnits(result.databaseBytes)} after ${years} year(s), ${inUnits(result.walBytesPerSecond)} of WAL a second at the peak, ${result.connections} connections`,
    memory: `${inUnits(result.hashBytes)} of shared_buffers for the ids and signatures of these years`,
    NATS: `${inUnits(result.streamBytes)} for ${days} days, times the copies`,
    Redis: `${inUnits(result.redisBytesPerSecond)} a second out of pub/sub at the peak, ${result.redisCores.toFixed(2)} cores; one Redis sends ${Math.floor(result.mostPaymentsPerSecond)} payments a second to these pods`,
    sockets: `${inUnits(result.socketBytes)} of memory in all realtime processes`,
  }
  for (const [name, line] of Object.entries(lines)) console.log(name.padEnd(13), line)
  for (const wall of result.walls) console.log('wall'.padEnd(13), wall)
}

/** @throws Error that names the flag which is no number */
function readNumber(name, text = FLAGS[name][1]) {
  const value = Number(text)
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number from 0`)
  return value
}

// Tests import this file for its figures.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = Object.fromEntries(NAMES.map(name => [name, { type: 'string' }]))
  await runCommand({ usage: USAGE, options }, values => {
    const input = Object.fromEntries(NAMES.map(name => [name, readNumber(name, values[name])]))
    print(input, size(input))
  })
}
