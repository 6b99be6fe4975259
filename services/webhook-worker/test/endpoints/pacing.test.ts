import t from 'tap'
import type { Slot } from '@payment-tracking/redis'
import { Pacing } from '../../src/endpoints/pacing.js'

const SLOT: Slot = { free: true, inMs: 0 }

/** @param slots what the next requests are answered @param chosen as the webhook says */
function open({ slots = [] as Slot[], chosen = null as number | null, maxPerSecond = 10 } = {}) {
  let now = 1_000_000
  const asked: number[] = []
  const paused: number[] = []
  const [readings, rates] = [
    { made: 0 },
    {
      take: ({ perSecond }: { perSecond: number }) => {
        asked.push(perSecond)
        return Promise.resolve(slots.shift()!)
      },
      pause: (_: string, forMs: number) => Promise.resolve(void paused.push(forMs)),
    },
  ]
  const readRate = () => {
    readings.made++
    return Promise.resolve(chosen)
  }
  const pacing = new Pacing(
    { webhookId: 'a', maxPerSecond, rates, readRate },
    { now: () => now, chance: () => 0 },
  )
  return { pacing, asked, paused, readings, pass: (ms: number) => (now += ms) }
}

t.test('the cap of a process lets a burst of one second through and spaces the rest', t => {
  const { pacing, pass } = open()
  for (let n = 0; n < 10; n++) t.equal(pacing.takeOwn(), null)
  const [first, second] = [pacing.takeOwn(), pacing.takeOwn()]
  t.match([first, second], Array(2).fill({ kind: 'defer', reason: 'rate cap' }))
  t.ok(second!.forMs > first!.forMs, 'one after another')
  pass(100)
  t.equal(pacing.takeOwn(), null)
  t.end()
})

t.test('a chosen rate is known before the first request, and asked for once', async t => {
  const { pacing, asked, readings } = open({ chosen: 5, slots: [SLOT, { free: false, inMs: 700 }, SLOT] })
  await pacing.learn()
  t.equal(await pacing.takeChosen(), null)
  await pacing.learn()
  t.strictSame(await pacing.takeChosen(), { kind: 'defer', forMs: 700, reason: 'rate cap' })
  pacing.setRate(9)
  t.equal(await pacing.takeChosen(), null)
  t.strictSame([asked, readings.made], [[5, 5, 9], 1], 'a claim tells of a change')
  pacing.setRate(null)
  t.equal(await pacing.takeChosen(), null)
  t.equal(asked.length, 3, 'what has no rate any more asks for no slot')
})
