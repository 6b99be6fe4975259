// npm run bench -- --gate [--write] [--kept SHARE] [--only ROW]: one short row of each kind, compared as ratios with
// test/bench/gate/table.json. CPU time, the least of several turns, so that other work on the machine changes little.
// A row that fell is measured again by new processes before it fails. `--write` writes the table anew, of two runs.
import { openServers } from '@payment-tracking/stack'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { takeTurns, type BenchContext } from '../bench.js'
import { decode } from './decode.js'
import type { GateKind } from './gate-kind.js'
import { bestOf, findFallen, findMissing, KEPT_SHARE, type Ratios } from './judge.js'
import { push } from './push.js'
import { reads } from './reads.js'
import { webhooks } from './webhooks.js'

const TABLE = fileURLToPath(new URL('table.json', import.meta.url))
const KINDS: GateKind[] = [reads, push(1), push(100), webhooks(1), webhooks(10), decode]
/** Turns of each side that count, after one that warms up. */
const ROUNDS = 5

const { values: flags } = parseArgs({
  options: {
    gate: { type: 'boolean' },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    kept: { type: 'string', default: String(KEPT_SHARE) },
  },
})
const keptShare = Number(flags.kept)
if (!(keptShare > 0 && keptShare <= 1)) throw new Error('--kept is a share above 0, at most 1')

const { DATABASE_URL: postgres, REDIS_URL: redis, NATS_URL: nats } = process.env
const dataDir = mkdtempSync(join(tmpdir(), 'payment-tracking-bench-'))
const servers = await openServers({ dataDir, urls: { postgres, redis, nats }, log: () => {} })
const startedAt = performance.now()
const say = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`)

/** @param wanted measures only these rows */
async function measureKind(kind: GateKind, wanted?: readonly string[]): Promise<Ratios> {
  const closers: (() => unknown)[] = []
  const context: BenchContext = {
    name: kind.rows[0]!,
    quick: false,
    servers,
    say,
    teardown: close => closers.push(close),
  }
  const ratios: Ratios = {}
  try {
    for (const { name, subject, limit } of await kind.open(context)) {
      if (wanted && !wanted.includes(name)) continue
      const [ofSubject, ofLimit] = await takeTurns(ROUNDS, [subject, limit])
      ratios[name] = ofLimit!.min / ofSubject!.min
      say(
        `${name}: ${ratios[name].toFixed(3)} of the limit (${ofSubject!.min.toFixed(1)} and ${ofLimit!.min.toFixed(1)} µs)`,
      )
    }
  } finally {
    for (const close of closers.reverse()) await close()
  }
  return ratios
}

/** @param wanted only the kinds of these rows are started again */
async function measureAll(wanted?: readonly string[]): Promise<Ratios> {
  const ratios: Ratios = {}
  for (const kind of KINDS) {
    if (!wanted || kind.rows.some(name => wanted.includes(name)))
      Object.assign(ratios, await measureKind(kind, wanted))
  }
  return ratios
}

/** @returns the exit code */
async function judge(): Promise<number> {
  const first = await measureAll(flags.only)
  if (flags.write && !flags.only) {
    // A single run may have had luck: the table has the lesser ratio of two.
    const second = await measureAll()
    const ratios = Object.entries(first).map(
      ([name, ratio]) => [name, Math.min(ratio, second[name]!)] as const,
    )
    const table = Object.fromEntries(ratios.map(([name, ratio]) => [name, Number(ratio.toFixed(3))]))
    writeFileSync(TABLE, `${JSON.stringify(table, null, 2)}\n`)
    return 0
  }
  const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Ratios
  const suspects = findFallen(first, table, keptShare)
  if (suspects.length > 0) say(`measured again: ${suspects.join('; ')}`)
  const best = suspects.length > 0 ? bestOf(first, await measureAll(suspects)) : first
  const fallen = findFallen(best, table, keptShare)
  const missing = flags.only ? [] : findMissing(best, table)
  for (const name of missing) console.log(`${name}: in the table, but not measured`)
  for (const name of fallen)
    console.log(`${name}: ${best[name]!.toFixed(3)} of the limit, ${table[name] ?? 'nothing'} in the table`)
  return fallen.length + missing.length > 0 ? 1 : 0
}

try {
  process.exitCode = await judge()
} finally {
  await servers.close()
  rmSync(dataDir, { recursive: true, force: true })
}
