// `npm run bench -- --gate`: one short row of each kind, compared as ratios with test/bench/gate/table.json. CPU time,
// the least of several turns, so that other work on the machine changes little. A row that fell is measured again by new
// processes, twice, before it fails. `--write` writes the table anew.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import type { ServerUrls } from '@payment-tracking/stack'
import type { GateKind } from '../bench.js'
import { withContext, withServers } from '../with-servers.js'
import { decode } from './decode.js'
import { ingest, ingestExpected } from './ingest.js'
import { bestOf, findFallen, findMissing, KEPT_SHARE, type Ratios } from './judge.js'
import { push } from './push.js'
import { reads } from './reads.js'
import { webhooks } from './webhooks.js'
import { USAGE } from '../usage.js'

const TABLE = fileURLToPath(new URL('table.json', import.meta.url))
const KINDS: GateKind[] = [
  reads,
  ingest,
  ingestExpected,
  push(1),
  push(100),
  webhooks(1),
  webhooks(10),
  decode,
]
/** Turns of each side that count, after one that warms up. */
const ROUNDS = 5
/** How often a row that fell is measured again, by new processes, before it fails. */
const MEASURED_AGAIN = 2

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    gate: { type: 'boolean' },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    kept: { type: 'string', default: String(KEPT_SHARE) },
  },
})
const keptShare = Number(flags.kept)
if (!(keptShare > 0 && keptShare <= 1)) refuseArguments(USAGE, '--kept is a share above 0, at most 1')

const startedAt = performance.now()
const say = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`)

/** In turns, so that a machine that slows down slows both. The first turn warms up. @returns the least figure of each */
async function takeTurns(subject: () => Promise<number>, limit: () => Promise<number>) {
  const least: [number, number] = [Infinity, Infinity]
  for (let round = 0; round <= ROUNDS; round++) {
    const [ofSubject, ofLimit] = [await subject(), await limit()]
    if (round > 0) [least[0], least[1]] = [Math.min(least[0], ofSubject), Math.min(least[1], ofLimit)]
  }
  return least
}

/** @param wanted measures only these rows */
const measureKind = (kind: GateKind, servers: ServerUrls, wanted?: readonly string[]): Promise<Ratios> =>
  withContext({ name: kind.rows[0]!, quick: false, servers, say }, async context => {
    const ratios: Ratios = {}
    for (const { name, subject, limit } of await kind.open(context)) {
      if (wanted && !wanted.includes(name)) continue
      const [ofSubject, ofLimit] = await takeTurns(subject, limit)
      ratios[name] = ofLimit / ofSubject
      say(
        `${name}: ${ratios[name].toFixed(3)} of the limit (${ofSubject.toFixed(1)} and ${ofLimit.toFixed(1)} µs)`,
      )
    }
    return ratios
  })

/** @param wanted only the kinds of these rows are started again */
async function measureAll(servers: ServerUrls, wanted?: readonly string[]): Promise<Ratios> {
  const ratios: Ratios = {}
  for (const kind of KINDS) {
    if (!wanted || kind.rows.some(name => wanted.includes(name)))
      Object.assign(ratios, await measureKind(kind, servers, wanted))
  }
  return ratios
}

/** A single run may have had luck: the table has the least ratio of three. */
async function writeTable(servers: ServerUrls): Promise<void> {
  const runs = [await measureAll(servers), await measureAll(servers), await measureAll(servers)]
  const table = Object.keys(runs[0]!).map(name => [
    name,
    Number(Math.min(...runs.map(ratios => ratios[name]!)).toFixed(3)),
  ])
  writeFileSync(TABLE, `${JSON.stringify(Object.fromEntries(table), null, 2)}\n`)
}

/** @returns the exit code */
async function judge(servers: ServerUrls): Promise<number> {
  const table = JSON.parse(readFileSync(TABLE, 'utf8')) as Ratios
  let best = await measureAll(servers, flags.only)
  for (let again = 0; again < MEASURED_AGAIN; again++) {
    const suspects = findFallen(best, table, keptShare)
    if (suspects.length === 0) break
    say(`measured again: ${suspects.join('; ')}`)
    best = bestOf(best, await measureAll(servers, suspects))
  }
  const fallen = findFallen(best, table, keptShare)
  const missing = flags.only ? [] : findMissing(best, table)
  for (const name of missing) console.log(`${name}: in the table, but not measured`)
  for (const name of fallen)
    console.log(`${name}: ${best[name]!.toFixed(3)} of the limit, ${table[name] ?? 'nothing'} in the table`)
  return fallen.length + missing.length > 0 ? 1 : 0
}

await withServers(async servers => {
  if (flags.write) await writeTable(servers)
  else process.exitCode = await judge(servers)
})
