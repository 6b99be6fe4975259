import { existsSync } from 'node:fs'
import { createKeyFile, demoKeyFileOf, readKeyFile } from '../dev-kit/index.js'
import type { PlayMarket } from '../../launcher/index.js'
import { openPublisher } from '../open-publisher.js'
import { buildFeed } from './play-feed.js'

/** Lively enough that something happens at each look, and slow enough to read. */
const PACE_MS = 400

/**
 * `npm start -- --demo`: publishes a made-up market until it is closed. Nothing of it is printed; the console shows it.
 * @returns the key of its first gateway, and what ends the market
 */
export async function playMarket({
  natsUrl,
  knowsGateway,
  env,
  log,
}: Parameters<PlayMarket>[0]): ReturnType<PlayMarket> {
  const publisher = await openPublisher({ ...env, NATS_URL: natsUrl })
  const end = new AbortController()
  const keyFile = demoKeyFileOf(env)
  const play = async () => {
    const authority = existsSync(keyFile) ? readKeyFile(keyFile) : createKeyFile(keyFile)
    const feed = await buildFeed({ paceMs: PACE_MS, programId: env.PROGRAM_ID?.trim(), authority })
    for (const { address, created } of feed.gateways)
      // An earlier demo has created the gateway of the key, unless that demo was cut off or the database is another one.
      if (!(await knowsGateway(address))) await publisher.publish(JSON.stringify(created))
    for await (const { messages } of feed.play(end.signal))
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
      await publisher.close()
    },
  }
}
