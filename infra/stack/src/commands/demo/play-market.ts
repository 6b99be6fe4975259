import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import {
  createKeyFile,
  demoKeyFileOf,
  makeSignInLink,
  openGatewaySession,
  programIdOf,
  readKeyFile,
  waitUntilStored,
} from '../dev-kit/index.js'
import type { PlayMarket } from '../../launcher/index.js'
import { openPublisher, type Publisher } from '../open-publisher.js'
import { openDemoEndpoints } from './demo-endpoints.js'
import { finalize, playOneOfEach } from './one-of-each.js'
import { playShop } from './play-shop.js'
import { buildRiskyCustomers, type RiskyCustomers } from './risky-customers.js'
import { buildShopHistory } from './shop-history.js'

const CHECK_EVERY_MS = 50
/** The guide of `npm start` waits for the link. */
const PATIENCE_MS = 30_000
/** As nodes do: long before what they saw is too old. */
const SEEN_EVERY_MS = 240_000

/**
 * `npm start -- --demo`: publishes ninety days of a small shop, unless the database has its gateway already, registers its
 * endpoints, and plays on until it is closed. Nothing of it is printed; the console shows it.
 * @returns the key of its gateway, a link that signs in as it, and what ends the market
 */
export async function playMarket({
  natsUrl,
  baseUrl,
  knowsGateway,
  env,
  log,
}: Parameters<PlayMarket>[0]): ReturnType<PlayMarket> {
  const publisher = await openPublisher({ ...env, NATS_URL: natsUrl })
  const end = new AbortController()
  const keyFile = demoKeyFileOf(env)
  const authority = existsSync(keyFile) ? readKeyFile(keyFile) : createKeyFile(keyFile)
  const programId = programIdOf(env)
  const endMs = Date.now()
  const history = await buildShopHistory({ seed: `demo/${endMs}`, endMs, programId, authority })
  const { address } = history.gateway
  const prefix = env.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX
  const risky = await buildRiskyCustomers(history, { programId, prefix, endMs })
  let closeEndpoints = () => {}
  const play = async () => {
    const isNew = !(await knowsGateway(address))
    if (isNew) {
      const messages = [...history.messages, ...risky.messages]
      await publisher.publishAll(messages.map(message => Buffer.from(JSON.stringify(message))))
      await waitUntilStored(baseUrl, messages.at(-1)!.signature)
    }
    closeEndpoints = await openDemoEndpoints(baseUrl, address, authority)
    const goOn = [
      sell(isNew),
      seeAccounts(publisher, risky, end.signal),
      finalize(publisher, prefix, end.signal),
    ]
    if (isNew) {
      const session = await openGatewaySession(baseUrl, address, authority)
      await playOneOfEach(history, { publisher, session, baseUrl, programId, prefix })
    }
    await Promise.all(goOn)
  }
  const sell = async (isNew: boolean) => {
    for await (const messages of playShop(history, { programId, isNew, signal: end.signal }))
      for (const message of messages) await publisher.publish(JSON.stringify(message))
  }
  const playing = play().catch((error: unknown) => {
    if (!end.signal.aborted) log(`the demo's market has ended: ${(error as Error).message}`)
  })
  const makeLink = async () => {
    // The market has just published the event that creates its gateway.
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(PATIENCE_MS)])
    while (!(await knowsGateway(address))) await sleep(CHECK_EVERY_MS, undefined, { signal })
    return makeSignInLink(baseUrl, address, authority)
  }
  return {
    keyFile,
    // Without one the guide names the command that makes one.
    signInLink: makeLink().catch(() => undefined),
    close: async () => {
      end.abort()
      await playing
      closeEndpoints()
      await publisher.close()
    },
  }
}

async function seeAccounts(publisher: Publisher, risky: RiskyCustomers, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const line of risky.seeAccounts()) await publisher.publish(line)
    await sleep(SEEN_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
