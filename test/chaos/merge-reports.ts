// node --import tsx test/chaos/merge-reports.ts FILES: the tables of test/chaos/RESULTS.md, from what runs wrote with
// `--json FILE`.
import { readFile } from 'node:fs/promises'
import { renderRecovery, summarise, type Measured } from './report/recovery.js'

interface Written {
  reports: { seed: string; seconds: number; counts: Record<string, number>; differences: string[] }[]
  measured: Measured[]
}

const written = await Promise.all(
  process.argv.slice(2).map(async file => JSON.parse(await readFile(file, 'utf8')) as Written),
)
const reports = written.flatMap(({ reports }) => reports)
const total = (count: (report: Written['reports'][number]) => number) =>
  reports.reduce((sum, report) => sum + count(report), 0)

console.log('| seed | length | faults | messages | payments | webhook requests | differences |')
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
for (const { seed, seconds, counts, differences } of reports) {
  const { faults, messages, payments, requests } = counts
  console.log(
    `| \`${seed}\` | ${seconds} s | ${faults} | ${messages} | ${payments} | ${requests} | ${differences.length} |`,
  )
}
const sums = ['faults', 'messages', 'payments', 'requests'].map(name => total(({ counts }) => counts[name]!))
console.log(
  `| all | ${total(({ seconds }) => seconds)} s | ${sums.join(' | ')} | ${total(({ differences }) => differences.length)} |`,
)
// Which process a connection belonged to would make a table of sixty rows.
const measured = written.flatMap(({ measured }) =>
  measured.map(each => ({ ...each, name: each.name.replace(/^(\S+) \S+ → /, '$1 a connection to ') })),
)
console.log(`\n${renderRecovery(summarise(measured))}`)
