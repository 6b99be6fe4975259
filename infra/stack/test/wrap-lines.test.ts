import t from 'tap'
import { wrapLines } from '../src/wrap-lines.js'

t.test('a line wider than a terminal is broken at a space, and stays one entry of its list', async t => {
  const wrapped = wrapLines(`short\n  - ${'many words '.repeat(30)}end`)
  for (const line of wrapped.split('\n')) t.ok(line.length <= 100, line)
  t.match(wrapped, /^short\n {2}- many words[^]*\n {6}(many|words)/)
  t.equal(wrapped.replace(/\s+/g, ' '), `short - ${'many words '.repeat(30)}end`)
})

t.test('a word that is wider stays whole, and can be copied', async t => {
  const url = `https://example.com/${'x'.repeat(120)}`
  t.equal(wrapLines(url), url)
  t.equal(wrapLines(`see ${url} and on`), `see\n  ${url}\n  and on`)
})
