// `npm run listen` where the service cannot reach the developer's server. The command reads the messages of the gateway's feed,
// signs them as the service does, and sends them to the developer's server.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  WEBHOOK_EVENT_TYPES,
  readJson,
  retryDelayMs,
  signDelivery,
  webhookSecretOf,
  WEBHOOK_SECRET_BYTES,
  writeJson,
  type Json,
} from '@payment-tracking/domain'
import { ServiceRefusedError, type GatewaySession } from './gateway-session.js'

/** What DATA_DIR keeps of each gateway: the secret that signs for the local server, and where to go on. */
interface Followed {
  secret: string
  next?: string
}

/** A message as an endpoint would get it. */
interface Followable {
  secret: string
  /** @returns when `signal` ends it; messages that `take` refuses come again, three times */
  follow(signal: AbortSignal): Promise<void>
}

const RETRY_MS = 1_000
/** Between two lines about what the first run passes over. */
const EVERY_MS = 2_000
const TRIES = 4
const FIRST_RETRY_MS = 5_000
const fileOf = (env: NodeJS.ProcessEnv): string =>
  resolve(env.DATA_DIR?.trim() || '.data', 'listen-feed.json')

/**
 * @param signIn signs in to the API and returns a token. It is called at the start, and when a token has expired
 * @param take sends one message to the developer's server. It returns false when the server refuses the message
 * @param options.print gets a line of progress every `everyMs`, while the first run skips old messages
 */
export function openFeed(
  env: NodeJS.ProcessEnv,
  gateway: string,
  signIn: () => Promise<GatewaySession>,
  take: (headers: Record<string, string>, body: string) => Promise<boolean>,
  { print = console.log, everyMs = EVERY_MS }: { print?: (line: string) => void; everyMs?: number } = {},
): Followable {
  const file = fileOf(env)
  const all = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Followed>) : {}
  const own = (all[gateway] ??= { secret: webhookSecretOf(randomBytes(WEBHOOK_SECRET_BYTES)) })
  // It holds secrets.
  const keep = () => writeFileSync(file, JSON.stringify(all), { mode: 0o600 })
  keep()
  const isFirst = own.next === undefined
  let [passed, printedAt] = [0, Date.now()]
  const passOver = (count: number) => {
    passed += count
    if (Date.now() - printedAt < everyMs) return
    printedAt = Date.now()
    print(`passing over what happened before: ${passed} messages so far`)
  }
  const deliver = async (item: Json, signal: AbortSignal) => {
    const body = writeJson(item)
    const { id } = item as { id: string }
    for (let tries = 1; ; tries += 1) {
      const sentAt = Math.floor(Date.now() / 1000)
      const headers = {
        'content-type': 'application/json',
        ...signDelivery({ id, sentAt, body }, [own.secret]),
      }
      if ((await take(headers, body)) || tries === TRIES) return
      await sleep(retryDelayMs(tries, FIRST_RETRY_MS, Math.random()), undefined, { signal })
    }
  }
  const readPage = async (
    session: GatewaySession,
    next: string | undefined,
    wait: number,
    signal: AbortSignal,
  ) => {
    const after = next === undefined ? '' : `&after=${next}`
    const path = `/v1/gateway/${gateway}/feed?types=${WEBHOOK_EVENT_TYPES.join()}&wait=${wait}${after}`
    return readJson(await session.read(path, signal)) as { items: Json[]; next: string }
  }
  return {
    secret: own.secret,
    async follow(signal) {
      let session = await signIn()
      // The first run passes over what is in the feed already, because a new endpoint gets only new messages too.
      let { next } = own
      for (let isBefore = isFirst; !signal.aborted;) {
        try {
          const askedAt = performance.now()
          const wait = isBefore ? 0 : 25
          const page = await readPage(session, next, wait, signal)
          if (isBefore) passOver(page.items.length)
          else for (const item of page.items) await deliver(item, signal)
          next = page.next
          if (page.items.length === 0) isBefore = false
          // Until the first run has reached the end of the feed, nothing is kept: the next run begins like a first one.
          if (isBefore) continue
          own.next = next
          keep()
          // There was no place to wait.
          const isEarly = wait > 0 && page.items.length === 0 && performance.now() - askedAt < RETRY_MS
          if (isEarly) await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
        } catch (error) {
          if (signal.aborted) return
          if (error instanceof ServiceRefusedError && error.code === 'UNAUTHORIZED') session = await signIn()
          else if (error instanceof ServiceRefusedError && error.status < 500 && error.status !== 429)
            throw error
          else await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
        }
      }
    },
  }
}
