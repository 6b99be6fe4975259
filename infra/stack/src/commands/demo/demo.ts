import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'
import { buildFeed } from './play-feed.js'
import { LEGEND_EVERY, renderLegend, renderLinks, renderPayment, renderStory } from './render.js'
import { playOrder } from './play-order.js'
import { PaymentTracker, STAGES } from './track-payments.js'
import { watchDeliveries, watchSocket, watchStored } from './watch-outcomes.js'

const USAGE = `usage: npm run demo -- [--count N] [--seconds N] [--pace MS] [--tracking-id ID]
  --count N          end after N payments
  --seconds N        end after so many seconds (default: never; Ctrl-C ends it)
  --pace MS          mean time between two events (default 700)
  --tracking-id ID   one customer alone pays, with this tracking ID, for a client that listens`

const OPTIONS = {
  count: { type: 'string' },
  seconds: { type: 'string' },
  pace: { type: 'string', default: '700' },
  'tracking-id': { type: 'string' },
} as const

/** How long the last payments may take to arrive. */
const PATIENCE_MS = 30_000

/**
 * `npm run demo`: feeds payments into the running stack, and follows each payment.
 * @returns the exit code: 0 when every payment was stored, pushed and delivered
 */
export async function demo(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS }, args)
  const count = values.count === undefined ? undefined : readNumber('count', values.count)
  const seconds = values.seconds === undefined ? undefined : readNumber('seconds', values.seconds)
  const paceMs = readNumber('pace', values.pace)
  const stack = findStack(env)
  const stop = new AbortController()
  const end = () => stop.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  const timer = seconds === undefined ? undefined : setTimeout(end, seconds * 1000)

  let shown = 0
  const tracker = new PaymentTracker(payment => {
    if (shown++ % LEGEND_EVERY === 0) console.log(renderLegend())
    console.log(renderPayment(payment))
  })
  const feed = await buildFeed({
    paceMs,
    trackingId: values['tracking-id'],
    programId: env.PROGRAM_ID?.trim(),
  })
  const gateways = feed.gateways.map(({ address }) => address)
  const deliveries = await watchDeliveries(stack, gateways, tracker)
  const socket = await watchSocket(stack, tracker)
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  const lookups = new AbortController()
  try {
    console.log(`DEMO: publishing made-up payments for ${stack.baseUrl}`)
    const isEndless = count === undefined && seconds === undefined
    console.log(renderLinks(stack.baseUrl, { gateways, isEndless }))
    for (const { created } of feed.gateways) await publisher.publish(JSON.stringify(created))
    const publish = (message: object) => publisher.publish(JSON.stringify(message))
    for await (const line of playOrder(stack.baseUrl, feed.gateways[0]!, {
      publish,
      programId: env.PROGRAM_ID?.trim(),
    }))
      console.log(renderStory(line))
    let published = 0
    for await (const { messages, story, payment } of feed.play(stop.signal)) {
      if (payment) {
        await socket.subscribe(payment.trackingId)
      } else console.log(renderStory(story))
      for (const message of messages) {
        if (payment) tracker.publish(payment)
        await publisher.publish(JSON.stringify(message))
        if (payment) void watchStored(stack, message.signature, tracker, lookups.signal)
      }
      if (payment && (published += 1) === count) end()
    }
    const deadline = Date.now() + PATIENCE_MS
    while (tracker.waiting.size > 0 && Date.now() < deadline) await sleep(50)
    return summarise(tracker)
  } finally {
    clearTimeout(timer)
    lookups.abort()
    socket.close()
    await publisher.close()
    await deliveries.close()
  }
}

function readNumber(name: string, text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  return refuseArguments(USAGE, `--${name} must be a whole number above 0`)
}

function summarise(tracker: PaymentTracker): number {
  const medians = STAGES.map(stage => `${stage} ${tracker.medianMs(stage)} ms`)
  console.log(`${tracker.complete.length} payments came all the way; median delays: ${medians.join(', ')}`)
  for (const { trackingId, signature, delaysMs } of tracker.waiting.values()) {
    const missing = STAGES.filter(stage => delaysMs[stage] === undefined)
    console.log(`never ${missing.join(', ')}: ${trackingId} (${signature})`)
  }
  return tracker.waiting.size === 0 ? 0 : 1
}
