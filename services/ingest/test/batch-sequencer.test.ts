import t from 'tap'
import { BatchSequencer } from '../src/pipeline/batch-sequencer.js'

/** Whether a promise is resolved by now. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => (resolved = true))
  await new Promise(resolve => setImmediate(resolve))
  return resolved
}

t.test('batches are stored in the order of their arrival, whichever batch was read first', async t => {
  const sequencer = new BatchSequencer()
  const [first, second, third] = [sequencer.add(), sequencer.add(), sequencer.add()]
  const thirdMayStore = third.previousEnded()
  const secondMayStore = second.previousEnded()
  await first.previousEnded()
  t.notOk(await isResolved(secondMayStore))
  first.end()
  await secondMayStore
  t.notOk(await isResolved(thirdMayStore))
  second.end()
  await thirdMayStore
})

t.test('nextIsWriting waits until Postgres writes the next batch', async t => {
  const sequencer = new BatchSequencer()
  const [first, second] = [sequencer.add(), sequencer.add()]
  await first.previousEnded()
  void second.previousEnded()
  first.end()
  const waiting = first.nextIsWriting()
  t.notOk(await isResolved(waiting))
  second.startWriting()
  await waiting
})

t.test('nextIsWriting waits for no batch that is not read yet, or ended without writing', async t => {
  const sequencer = new BatchSequencer()
  const alone = sequencer.add()
  alone.end()
  await alone.nextIsWriting()
  const next = sequencer.add()
  await alone.nextIsWriting()
  t.pass('a batch that is still being read is not waited for')
  await next.previousEnded()
  const after = sequencer.add()
  void after.previousEnded()
  next.end()
  // The batch held nothing new or failed, so it wrote nothing.
  after.end()
  await next.nextIsWriting()
})

t.test('nextIsWriting resolves after its longest wait when Postgres hangs', async t => {
  const sequencer = new BatchSequencer()
  const [first, second] = [sequencer.add(), sequencer.add()]
  await first.previousEnded()
  void second.previousEnded()
  first.end()
  await first.nextIsWriting()
  t.pass()
})
