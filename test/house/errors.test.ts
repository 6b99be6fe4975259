// docs/errors.md has every code: its tables are written from the code, with `UPDATE_DOCUMENTS=1`.
import { REFUSALS } from '@payment-tracking/domain'
import t from 'tap'
import { STATUSES } from '../../services/api/src/http/statuses.js'
import { CLOSE } from '../../services/api/src/stream/close-codes.js'
import { drawTable, replaceTables } from '../documents/table.js'
import { files, holdDocument, read } from '../repository.js'

const sources = files
  .filter(file => /^(packages|services|infra)\/[^/]+\/src\/.*\.ts$/.test(file))
  .map(read)
  .join('\n')

interface OwnError {
  code: string
  retry: string
  /** its doc comment, as one line */
  meaning: string | undefined
}

/** The classes of errors of ours, as they stand in the sources. */
const own: OwnError[] = [
  ...sources.matchAll(
    /(?:\/\*\* ((?:(?!\*\/)[^])*?) \*\/\n)?export class \w+ extends ServiceError \{\n {2}readonly code = '([A-Z_]+)'\n {2}readonly retry = '(\w+)'/g,
  ),
].map(([, meaning, code, retry]) => ({
  code: code!,
  retry: retry!,
  meaning: meaning?.replace(/\n \* /g, ' '),
}))

const code = (name: string) => `\`${name}\``
const byCode = (rows: string[][]) => rows.sort(([a], [b]) => a!.localeCompare(b!))
/** Codes that nobody meets in an answer. */
const inside = (retry: string) =>
  byCode(
    own
      .filter(error => error.retry === retry && !(error.code in STATUSES))
      .map(({ code: name, meaning = '' }) => [code(name), meaning]),
  )
const cells: string[][][] = [
  [
    ['code', 'status', 'meaning'],
    ...Object.entries(STATUSES).map(([name, [status, meaning]]) => [code(name), `${status}`, meaning]),
  ],
  [
    ['close code', 'reason', 'meaning'],
    ...Object.values(CLOSE).map(({ code: closed, reason }) => {
      const [name, meaning] = reason.split(': ')
      return [`${closed}`, code(name!), meaning!]
    }),
  ],
  [['code', 'meaning'], ...Object.entries(REFUSALS).map(([name, meaning]) => [code(name), meaning])],
  [['code', 'meaning'], ...inside('later')],
  [['code', 'meaning'], ...inside('never')],
]
const tables = cells.map(drawTable)

t.test('the tables of errors are what the code says', async t => {
  holdDocument(t, 'docs/errors.md', replaceTables(read('docs/errors.md'), tables))
})

t.test('every error of ours says what it means', async t => {
  const codes = [...sources.matchAll(/readonly code = '([A-Z_]+)'/g)].map(([, name]) => name!)
  t.ok(codes.length > 20, 'the codes were found')
  const found = new Map(own.map(error => [error.code, error]))
  for (const name of codes) t.ok(name in STATUSES || found.get(name)?.meaning, name)
})

t.test('every status of an answer is used', async t => {
  // What to add to a question that is too slow is put together.
  const unused = Object.keys(STATUSES).filter(
    name =>
      !name.startsWith('QUERY_TOO_SLOW_') &&
      [...sources.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length < 2,
  )
  t.same(unused, [])
})
