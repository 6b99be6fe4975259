// The checker of histories finds each fault that is planted in a good history, and shows no more of it than it takes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { drawViolation } from './draw.js'
import { History, readEntries } from './history.js'
import { judge } from './judge.js'
import { buildGoodHistory, PLANTED } from './planted.js'
import { openRecorder } from './recorder.js'
import { measureSeats } from './rules/seats.js'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** What a person reads at one look. */
const MOST_LINES = 30

t.test('in a good history nothing is found', async t => {
  const good = buildGoodHistory()
  t.same(
    judge(good).map(({ subject }) => subject),
    [],
  )
  const { judgedMs, most } = measureSeats(new History(good))
  t.ok(judgedMs > 0)
  t.equal(most, 2, 'and all seats were seen to be taken at once')
})

for (const { name, change, promise, subject } of PLANTED)
  t.test(`found: ${name}`, async t => {
    const violations = judge(change(buildGoodHistory()))
    const found = violations.find(each => subject.test(each.subject))
    t.ok(found, violations.map(each => each.subject).join('\n'))
    if (!found) return
    t.match(found.promise, promise)
    const [begin] = buildGoodHistory()
    const again = (entries: readonly (typeof found.entries)[number][]) =>
      judge([begin!, ...entries]).some(each => each.subject === found.subject)
    t.ok(again(found.entries), 'the part that is shown breaks the promise by itself')
    for (const entry of found.entries)
      t.notOk(again(found.entries.filter(other => other !== entry)), `not without ${JSON.stringify(entry)}`)
    const drawing = drawViolation(found)
    t.ok(drawing.split('\n').length <= MOST_LINES, drawing)
    t.ok(drawing.includes(found.subject))
  })

t.test('what the clocks cannot tell is not judged', async t => {
  const planted = PLANTED.find(({ name }) => /than there are seats/.test(name))!
  const entries = planted.change(buildGoodHistory())
  const stalls = entries
    .filter(entry => 'via' in entry && entry.via === 'socket' && entry.what === 'payment')
    .map(entry => ({ what: 'stall' as const, at: entry.at, forMs: 300 }))
  const all = [...entries, ...stalls].sort((a, b) => a.at - b.at)
  t.notOk(judge(all).some(({ promise }) => planted.promise.test(promise)))
  t.equal(measureSeats(new History(all)).judgedMs, 0)
  t.equal(measureSeats(new History(all)).clockErrorMs, 660)
})

t.test('a drawing has a column for everybody, and reads down in time', async t => {
  const { change, subject } = PLANTED.find(({ name }) => /another payment for one client/.test(name))!
  const found = judge(change(buildGoodHistory())).find(each => subject.test(each.subject))!
  const lines = drawViolation(found).split('\n')
  t.match(lines[0], /^VIOLATION of "one order of payments for everybody": seq 2 of order/)
  t.match(lines[2], /back office +shop/)
  t.ok(lines.some(line => /s +● position 2 = event-2 +│/.test(line)))
  t.ok(lines.some(line => /s +│ +● order: seq 2 = event-3 at 2/.test(line)))
})

t.test('what a recorder writes is what the checker reads', async t => {
  const file = join(t.testdir(), 'history.ndjson')
  const recorder = openRecorder(file)
  const [begin, ...rest] = buildGoodHistory()
  for (const { at: _at, ...note } of [begin!, ...rest]) recorder.note(note)
  await recorder.close()
  const entries = readEntries(file)
  t.same(
    entries.map(({ at: _at, ...note }) => note).filter(({ what }) => what !== 'stall'),
    [begin!, ...rest].map(({ at: _at, ...note }) => note),
  )
  t.ok(entries.every(({ at }, index) => at >= (entries[index - 1]?.at ?? 0)))
})

t.test(
  'the checker knows only the promises: it imports nothing of the services, the packages or the model',
  async t => {
    const files = (readdirSync(HERE, { recursive: true }) as string[]).filter(
      file => file.endsWith('.ts') && !file.endsWith('.test.ts'),
    )
    t.ok(files.length >= 10)
    for (const file of files) {
      const text = readFileSync(join(HERE, file), 'utf8')
      for (const [, from] of text.matchAll(/ from '([^']+)'$/gm))
        t.match(from, /^(node:|\.\/|\.\.\/(?!\.\.))/, `${file} imports ${from}`)
    }
  },
)
