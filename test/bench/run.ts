// `npm run bench`: runs the benches whose figures stand alone, prints one table. Servers of your own are used when DATABASE_URL,
// REDIS_URL and NATS_URL name them.
import { cpus, totalmem } from 'node:os'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import { USAGE } from './usage.js'

const { values: flags } = readArguments({
  usage: USAGE,
  options: { only: { type: 'string', multiple: true }, quick: { type: 'boolean', default: false } },
})
// A question for the usage need not load the whole system.
const { withContext, withServers } = await import('./with-servers.js')
const { bench: bytes } = await import('./bytes.bench.js')
const { bench: endToEnd } = await import('./end-to-end.bench.js')

const benches = [bytes, endToEnd].filter(({ name }) => flags.only?.includes(name) ?? true)
if (benches.length === 0) refuseArguments(USAGE, 'no such bench')

await withServers(async servers => {
  const memory = Math.round(totalmem() / 2 ** 30)
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${memory} GiB; Node ${process.version.slice(1)}`,
  )
  if (flags.quick) console.log('quick run: the figures mean nothing, only that the benches work')
  const table: string[] = ['| bench | subject | figure | unit | note |', '| --- | --- | --- | --- | --- |']
  for (const bench of benches) {
    console.log(`\n${bench.name}: ${bench.about}`)
    const startedAt = performance.now()
    const say = (line: string) =>
      console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(3)} s  ${line}`)
    const rows = await withContext({ name: bench.name, quick: flags.quick, servers, say }, context =>
      bench.run(context),
    )
    for (const { subject, figure, unit, note = '' } of rows) {
      const rounded = figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3))
      table.push(`| ${bench.name} | ${subject} | ${rounded} | ${unit} | ${note} |`)
    }
    say('done')
  }
  console.log(`\n${table.join('\n')}`)
})
