// The fixtures from outside, with kills: in the gate the second set, and each service dies once; at night the first set too, and more
// deaths. SEED chooses another order.
import {
  readExpectedAnswers,
  readFixtureMessages,
  readSecondAnswers,
  readSecondFixtures,
  toFixtureMessages,
  toSecondShape,
  compareAnswers,
  describeDifferences,
  findContradictions,
  shuffleFixtures,
  type FixtureAnswers,
  type FixtureMessage,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { checkEndpoint, gatewaysFirst, lastingGateways, openEndpoints } from './fixture-endpoints.js'
import { checkSockets, openSockets } from './fixture-sockets.js'
import { openSystem, SERVICES } from './fixture-system.js'

interface FixtureRun {
  messages: readonly FixtureMessage[]
  expected: FixtureAnswers
  seed: number
  /** how often a service is killed in each of the two publications */
  kills: number
}

/** The whole run. Assertions are of `t`. */
async function runFixtures(t: Test, { messages, expected, seed, kills }: FixtureRun): Promise<void> {
  const system = await openSystem(t)
  const startedAt = Date.now()
  const say = (what: string) => t.comment(`${what} after ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  await system.publish(gatewaysFirst(messages))
  const endpoints = await openEndpoints(t, system.apiUrl, lastingGateways(messages, expected))
  const received = openSockets(t, system.realtimeUrl, expected)

  say('endpoints and sockets are open')
  // A kill may put a message behind its contradiction, and then the contradiction would be kept.
  const contradictions = findContradictions(messages)
  let killed = 0
  for (const publication of [1, 2]) {
    const shuffled = shuffleFixtures(messages, seed + publication).filter(
      message => publication === 2 || !contradictions.has(message),
    )
    const part = Math.ceil(shuffled.length / (kills + 1))
    for (let at = 0; at < shuffled.length; at += part) {
      await system.publish(shuffled.slice(at, at + part))
      if (at + part < shuffled.length) await system.kill(SERVICES[(seed + killed++) % SERVICES.length]!)
    }
    if (publication === 1) {
      await system.waitUntilRead()
      await system.publish([...contradictions])
    }
  }
  say('everything is published')
  await system.settle()
  say('everything is settled')
  const ask = async (path: string) => {
    const answer = await fetch(system.apiUrl + path)
    return { status: answer.status, text: await answer.text() }
  }
  const comparison = await compareAnswers(expected, ask)
  t.strictSame(describeDifferences(comparison), [], `all of ${comparison.compared} answers`)
  say('REST was asked')
  await checkSockets(t, expected, received, ask)
  say('sockets were heard')
  for (const endpoint of endpoints) await checkEndpoint(t, endpoint, ask)
  t.strictSame(system.faults(), [], 'no fault was logged')
}

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
