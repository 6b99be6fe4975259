// `node scripts/run.mjs test/bench/write-table.ts`: writes what benches measured into test/bench/RESULTS.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import { format } from 'oxfmt'
import { mergeReports, renderMachine, renderTable, type Report } from './report.js'

const DOCUMENT = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const [BEGIN, END] = [
  '<!-- bench: written by `node scripts/run.mjs test/bench/write-table.ts` -->',
  '<!-- end of bench -->',
]

const USAGE =
  'usage: node scripts/run.mjs test/bench/write-table.ts FILE...   (files that `npm run bench -- --json FILE` wrote)'
const { positionals: files } = readArguments({ usage: USAGE, options: {}, positionals: Infinity })
if (files.length === 0) refuseArguments(USAGE, 'a file is missing')
const reports = files.map(file => JSON.parse(readFileSync(file, 'utf8')) as Report)
if (reports.some(({ quick }) => quick)) throw new Error('figures of a quick run mean nothing')
const report = mergeReports(reports)
const text = readFileSync(DOCUMENT, 'utf8')
const [before, after] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)]
if (text.indexOf(BEGIN) < 0 || after < 0) throw new Error(`${DOCUMENT} has lost its markers`)
const settings = Object.entries(report.postgresSettings).map(([name, value]) => `\`${name}=${value}\``)
const parts = [
  `Measured ${report.at.slice(0, 10)} on ${renderMachine(report)}, every server on the same machine.`,
  `Postgres settings that are set: ${settings.join(', ')}.`,
  renderTable(report.rows),
]
const written = `${text.slice(0, before)}\n\n${parts.join('\n\n')}\n\n${text.slice(after)}`
writeFileSync(DOCUMENT, (await format(DOCUMENT, written)).code)
