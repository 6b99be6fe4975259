import t from 'tap'
import { Turn } from '../src/batches/turn.js'

/** Whether a promise is resolved by now. */
async function isPassed(promise: Promise<void>): Promise<boolean> {
  let passed = false
  void promise.then(() => (passed = true))
  await new Promise(resolve => setImmediate(resolve))
  return passed
}

t.test('batches are stored in the order they arrived, whichever was read first', async t => {
  const first = new Turn(undefined)
  const second = new Turn(first)
  const third = new Turn(second)
  const thirdBegins = third.begin()
  const secondBegins = second.begin()
  await first.begin()
  t.notOk(await isPassed(secondBegins))
  first.end()
  await secondBegins
  t.notOk(await isPassed(thirdBegins))
  second.end()
  await thirdBegins
})

t.test('what can wait waits for the next batch until Postgres writes it', async t => {
  const first = new Turn(undefined)
  const second = new Turn(first)
  await first.begin()
  void second.begin()
  first.end()
  const told = first.nextIsWriting()
  t.notOk(await isPassed(told))
  second.nowWriting()
  await told
})

t.test('and no longer than the next batch is in hand', async t => {
  const alone = new Turn(undefined)
  alone.end()
  await alone.nextIsWriting()
  const next = new Turn(alone)
  await alone.nextIsWriting()
  t.pass('a batch that is still being read is not waited for')
  await next.begin()
  const after = new Turn(next)
  void after.begin()
  next.end()
  // Nothing of it was new, or it failed: it never came to write.
  after.end()
  await next.nextIsWriting()
})

t.test('nor for ever, when Postgres hangs', async t => {
  const first = new Turn(undefined)
  const second = new Turn(first)
  await first.begin()
  void second.begin()
  first.end()
  await first.nextIsWriting()
  t.pass()
})
