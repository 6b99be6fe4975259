import { existsSync } from 'node:fs'
import { createKeyFile, demoKeyFileOf, programIdOf, readKeyFile, waitUntilStored } from '../dev-kit/index.js'
import type { PlayMarket } from '../../launcher/index.js'
import { openPublisher } from '../open-publisher.js'
import { openDemoEndpoints } from './demo-endpoints.js'
import { playShop } from './play-shop.js'
import { buildShopHistory } from './shop-history.js'

/**
 * `npm start -- --demo`: publishes ninety days of a small shop, unless the database has its gateway already, registers its
 * endpoints, and plays on until it is closed. Nothing of it is printed; the console shows it.
 * @returns the key of its gateway, and what ends the market
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
  let closeEndpoints = () => {}
  const play = async () => {
    if (!(await knowsGateway(address))) {
      await publisher.publishAll(history.messages.map(message => Buffer.from(JSON.stringify(message))))
      await waitUntilStored(baseUrl, history.messages.at(-1)!.signature)
    }
    closeEndpoints = await openDemoEndpoints(baseUrl, address, authority)
    for await (const messages of playShop(history, programId, end.signal))
      for (const message of messages) await publisher.publish(JSON.stringify(message))
  }
  const playing = play().catch((error: unknown) => {
    if (!end.signal.aborted) log(`the demo's market has ended: ${(error as Error).message}`)
  })
  return {
    keyFile,
    close: async () => {
      end.abort()
      await playing
      closeEndpoints()
      await publisher.close()
    },
  }
}
