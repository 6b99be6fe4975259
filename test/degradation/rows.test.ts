// docs/degradation.md is written from rows.json, and each row has a test that exists.
import t from 'tap'
import { ENDPOINTS_HELD_BY, ROWS, withRows } from './rows.js'
import { SERVICES } from '../upgrade/release-set.js'
import { holdDocument, isThere, read } from '../repository.js'

t.test('the document has these rows, under these headings', async t => {
  holdDocument(t, 'docs/degradation.md', withRows(read('docs/degradation.md')))
  const headings = [...read('docs/degradation.md').matchAll(/^## (.*)/gm)].map(([, heading]) => heading)
  t.strictSame(headings, Object.keys(ROWS))
})

t.test('each row has a test that exists, and each service a row', async t => {
  const exists = (file: string, title: string) => {
    const source = isThere(file) ? read(file) : ''
    // Titles are written on the line of the call, or on the one after it.
    const titles = [...source.matchAll(/\btest\(\s*(['"`])(.*?)\1/g)].map(match => match[2])
    t.ok(titles.includes(title), `${file}: ${title}`)
  }
  for (const [section, rows] of Object.entries(ROWS)) {
    for (const { file, title } of rows) exists(file, title)
    for (const name of SERVICES)
      t.ok(
        rows.some(({ service }) => service === name),
        `${section}: ${name}`,
      )
  }
  for (const [file, title] of ENDPOINTS_HELD_BY) exists(file, title)
})
