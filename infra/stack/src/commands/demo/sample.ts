import { existsSync } from 'node:fs'
import { readArguments } from '@payment-tracking/runtime'
import { demoKeyFileOf, keyFileOf, readKeyFile } from '../dev-kit/index.js'
import { buildShopHistory, SHOP_NAME } from './shop-history.js'
import { findStack } from '../find-stack.js'
import { openPublisher } from '../open-publisher.js'

const USAGE = `usage: npm run sample [-- --key FILE]
  Publishes ninety days of a small shop: plans of 9.99 USDC a month and 99.00 a year, coffees
  of 4.50. The same day's sample again changes nothing.
  --key FILE  the key of the gateway that sells (default: gateway-key.json in DATA_DIR, as for
              sign-in, else the demo's; without any, a gateway of its own)`

const DAY_MS = 86_400_000

/** A gateway is made once: a second Created event would begin it anew. */
async function knowsGateway(baseUrl: string, authority: string): Promise<boolean> {
  const answer = await fetch(`${baseUrl}/v1/events/gateways/created?authority=${authority}&limit=1`)
  return answer.ok && ((await answer.json()) as unknown[]).length > 0
}

/**
 * `npm run sample`: a history to look at, on the running stack.
 * @returns the exit code
 * @throws NoStackError
 */
export async function sample(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: { key: { type: 'string' } } }, args)
  const stack = findStack(env)
  const keyFile = [values.key, keyFileOf(undefined, env), demoKeyFileOf(env)].find(
    file => file !== undefined && (file === values.key || existsSync(file)),
  )
  const authority = keyFile === undefined ? undefined : readKeyFile(keyFile)
  const endMs = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const day = new Date(endMs).toISOString().slice(0, 10)
  const { gateway, messages } = await buildShopHistory({
    seed: `sample/${day}/${authority?.publicKey ?? ''}`,
    endMs,
    programId: env.PROGRAM_ID?.trim(),
    authority,
  })
  const isKnown = await knowsGateway(stack.baseUrl, gateway.authority.publicKey)
  const publisher = await openPublisher({ ...env, NATS_URL: stack.natsUrl })
  try {
    const lines = messages
      .filter(message => !isKnown || message !== gateway.created)
      .map(message => Buffer.from(JSON.stringify(message)))
    const published = await publisher.publishAll(lines)
    console.log(`published ${published} events of ${SHOP_NAME}, gateway ${gateway.address}`)
    console.log(`look at them    ${stack.baseUrl}/console/payments`)
    return 0
  } finally {
    await publisher.close()
  }
}
