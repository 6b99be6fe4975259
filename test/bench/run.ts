// `npm run bench`: runs the benches of this folder, prints one table. Servers of your own are used when DATABASE_URL, REDIS_URL
// and NATS_URL name them.
import { readdir, writeFile } from 'node:fs/promises'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import type { Bench } from './bench.js'
import type { Report } from './report.js'
import { USAGE } from './usage.js'

const { values: flags } = readArguments({
  usage: USAGE,
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    data: { type: 'string' },
    list: { type: 'boolean' },
  },
})
// A question for the usage need not load the whole system.
const { describeMachine } = await import('./describe-machine.js')
const { renderMachine, renderTable } = await import('./report.js')
const { withContext, withServers } = await import('./with-servers.js')

const files = (await readdir(import.meta.dirname)).filter(file => file.endsWith('.bench.ts')).sort()
const benches: Bench[] = []
for (const file of files) {
  // A program measures one thing, or one thing over several sizes.
  const program = (await import(`./${file}`)) as { bench: Bench } | { benches: Bench[] }
  benches.push(...('benches' in program ? program.benches : [program.bench]))
}
if (flags.list) {
  console.log(benches.map(({ name }) => name).join('\n'))
  process.exit(0)
}
const chosen = flags.only ? benches.filter(({ name }) => flags.only!.includes(name)) : benches
if (chosen.length === 0)
  refuseArguments(USAGE, `no such bench: there are ${benches.map(({ name }) => name).join(', ')}`)

await withServers(flags.data, async servers => {
  const report: Report = {
    ...(await describeMachine(servers)),
    rows: [],
  }
  console.log(`machine: ${renderMachine(report)}`)
  if (flags.quick) console.log('quick run: the figures mean nothing, only that the benches work')
  const save = () => flags.json && writeFile(flags.json, `${JSON.stringify(report, null, 2)}\n`)
  for (const bench of chosen) {
    console.log(`\n${bench.name}: ${bench.about}`)
    const startedAt = performance.now()
    const say = (line: string) =>
      console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(3)} s  ${line}`)
    const found = await withContext({ name: bench.name, quick: flags.quick, servers, say }, context =>
      bench.run(context),
    )
    report.rows.push(...found.map(row => ({ bench: bench.name, ...row })))
    // What was measured stays, also when a later bench fails.
    await save()
    say('done')
  }
  console.log(`\n${renderTable(report.rows)}`)
})
