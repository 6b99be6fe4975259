// The second set of fixtures from outside, each service killed once; fixtures.long.test.ts does both sets with more kills.
import { readSecondAnswers, readSecondFixtures } from '@payment-tracking/testkit'
import t from 'tap'
import { runFixtures } from './fixture-run.js'

t.setTimeout(240_000)

t.test('the second set, in any order, twice, with SIGKILL in between', async t => {
  const [messages, expected] = [await readSecondFixtures(), await readSecondAnswers()]
  await runFixtures(t, { messages, expected, seed: 1, kills: 2 })
})
