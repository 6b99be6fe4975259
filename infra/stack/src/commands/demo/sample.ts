import { readArguments } from '@payment-tracking/runtime'
import { buildShopHistory, SHOP_NAME } from './shop-history.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'

const USAGE = `usage: npm run sample
  Publishes ninety days of a small shop: plans of 9.99 USDC a month and 99.00 a year, coffees
  of 4.50. The same day's sample again changes nothing.`

const DAY_MS = 86_400_000

/**
 * `npm run sample`: a history to look at, on the running stack.
 * @returns the exit code
 * @throws NoStackError
 */
export async function sample(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  readArguments({ usage: USAGE, options: {} }, args)
  const stack = findStack(env)
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const day = new Date(endMs).toISOString().slice(0, 10)
  const { gateway, messages } = await buildShopHistory({
    seed: `sample/${day}`,
    endMs,
    programId: env.PROGRAM_ID?.trim(),
  })
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    const lines = messages.map(message => Buffer.from(JSON.stringify(message)))
    const published = await publisher.publishAll(lines)
    console.log(`published ${published} events of ${SHOP_NAME}, gateway ${gateway.address}`)
    console.log(`look at them    ${stack.baseUrl}/console/payments`)
    return 0
  } finally {
    await publisher.close()
  }
}
