import { existsSync } from 'node:fs'
import { createKeyFile, demoKeyFileOf, readKeyFile } from '../dev-kit/key-file.js'
import type { PlayMarket } from '../../launcher/launch.js'
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
  env,
  log,
}: {
  natsUrl: string
  env: NodeJS.ProcessEnv
  log: (line: string) => void
}): ReturnType<PlayMarket> {
  const publisher = await openPublisher({ ...env, NATS_URL: natsUrl })
  const end = new AbortController()
  const keyFile = demoKeyFileOf(env)
  const play = async () => {
    const isKnown = existsSync(keyFile)
    const authority = isKnown ? readKeyFile(keyFile) : createKeyFile(keyFile)
    const feed = await buildFeed({ paceMs: PACE_MS, programId: env.PROGRAM_ID?.trim(), authority })
    // The gateway of the key was created by the first demo of this data directory.
    for (const { created } of feed.gateways.slice(isKnown ? 1 : 0))
      await publisher.publish(JSON.stringify(created))
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
