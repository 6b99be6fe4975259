// Both sets of fixtures from outside, with kills: in the gate each service dies at least once, at night more often. SEED chooses
// another order.
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

t.test(`the first set, seed ${seed}`, async t => {
  const messages = toFixtureMessages(await readFixtureMessages())
  const expected = toSecondShape(await readExpectedAnswers())
  await runFixtures(t, { messages, expected, seed, kills: isLong ? 3 : 1 })
})
