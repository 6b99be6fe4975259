// The fixtures from outside, with kills: in the gate the second set, and each service dies once; at night the first set too, and more
// deaths. SEED chooses another order.
import {
  readExpectedAnswers,
  readFixtureMessages,
  readSecondAnswers,
  readSecondFixtures,
  toFixtureMessages,
  toSecondShape,
} from '@payment-tracking/testkit'
import t from 'tap'
import { runFixtures } from './fixture-run.js'

const seed = Number(process.env.SEED ?? 1)
const isLong = process.env.CHAOS === 'long'

t.test(`the second set, seed ${seed}`, async t => {
  const [messages, expected] = [await readSecondFixtures(), await readSecondAnswers()]
  await runFixtures(t, { messages, expected, seed, kills: isLong ? 6 : 2 })
})

if (isLong)
  t.test(`the first set, seed ${seed}`, async t => {
    const messages = toFixtureMessages(await readFixtureMessages())
    const expected = toSecondShape(await readExpectedAnswers())
    await runFixtures(t, { messages, expected, seed, kills: isLong ? 3 : 1 })
  })
