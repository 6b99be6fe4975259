// A tracking ID is written by anybody, and exports are opened in spreadsheets.
import { csvLine } from '@payment-tracking/domain'
import t from 'tap'

t.test('a spreadsheet finds no formula, whatever separates its cells', async t => {
  for (const [text, field] of [
    ['=1+1', "'=1+1"],
    ['-5', "'-5"],
    ['＝1', "'＝1"],
    ['\t=1', "'\t'=1"],
    ['\n=1', `"'\n'=1"`],
    ['order;=HYPERLINK(1)', "order;'=HYPERLINK(1)"],
    ['order\n@x', `"order\n'@x"`],
    ['order\t+1', "order\t'+1"],
  ] as const) {
    const line = csvLine(['a', text, 'z'])
    t.equal(line, `a,${field},z\r\n`)
    // What readers of semicolons and of tabs see; a quote inside a line means nothing to them.
    for (const cell of line.split(/[;\t\r\n]/)) t.notMatch(cell, /^"?[=+\-@＝＋－＠]/, JSON.stringify(text))
  }
})

t.test('other texts and numbers stay as they are', async t => {
  const csvText = csvLine(['a-b=c', 'a; b', "'quote", 'é😀', -5, -7n, null, true])
  t.equal(csvText, "a-b=c,a; b,'quote,é😀,-5,-7,,true\r\n")
  t.equal(csvLine(['a"b', 'a,b', 'a\r\nb']), '"a""b","a,b","a\r\nb"\r\n')
})
