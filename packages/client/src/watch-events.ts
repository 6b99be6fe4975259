// All events as they are stored, through lost connections. For browsers, and for Node 22 or later, which have WebSocket.
import type { Schemas } from './api-client.js'
import { rootOf } from './base-url.js'
import { parseExact } from './exact-fetch.js'
import { positionsOf } from './position-memory.js'
import { isServiceRefusal } from './refusal.js'

/** An event record with its position in the stream. */
export type StreamedEvent = Schemas['StreamRecord']

export interface WatchEventsOptions {
  /** the filters of `GET /v1/events`, such as `{eventName: 'PaymentRecord', gateway: '…'}` */
  filters?: Record<string, string>
  /** the last known cursor; '0' begins with the first event. Without it: events from now on */
  since?: string
  onEvent: (event: StreamedEvent) => void
  /** Whether the stream is open now. */
  onState?: (state: 'open' | 'lost') => void
  /** The database was replaced: cursors have no meaning any more, and events may have been missed. */
  onReset?: () => void
}

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 30_000
/** Close code of a stream whose cursor is of another database. */
const OTHER_EPOCH = 4009

/**
 * Whether the service refuses the cursor. A WebSocket does not show why it was refused; the same request without an
 * upgrade is refused with the reason.
 */
async function isRefused(streamUrl: URL, since: string): Promise<boolean> {
  const url = new URL(streamUrl)
  url.search = '' // The filters do not matter here, and faulty ones would be refused too.
  url.protocol = streamUrl.protocol.replace('ws', 'http')
  url.searchParams.set('since', since)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LONGEST_RETRY_MS) })
    return response.status === 400 && isServiceRefusal(await response.json())
  } catch {
    // The service cannot be reached, a proxy answered, or this page may not ask it: the next attempt decides.
    return false
  }
}

/**
 * Follows the stream of all events, each once and in the order of commits.
 * @param baseUrl the service's root, the same as for REST
 */
export function watchEvents(baseUrl: string, options: WatchEventsOptions): { close(): void } {
  const positions = positionsOf(baseUrl)
  let since = options.since
  let epoch: string | undefined
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  let isClosed = false

  const open = () => {
    const url = new URL(`${rootOf(baseUrl)}/v1/events/stream`)
    url.protocol = url.protocol.replace('http', 'ws')
    for (const [name, value] of Object.entries(options.filters ?? {})) url.searchParams.set(name, value)
    if (since !== undefined) url.searchParams.set('since', since)
    socket = new WebSocket(url)
    let wasOpen = false
    socket.onopen = () => {
      wasOpen = true
      options.onState?.('open')
    }
    socket.onmessage = ({ data }) => {
      const message = parseExact(data as string) as Schemas['StreamHead'] | StreamedEvent
      failures = 0
      since = message.cursor
      if ('type' in message) epoch = message.epoch
      positions.remember(Number(message.position), epoch)
      if (!('type' in message)) options.onEvent(message)
    }
    // `close` follows and decides. The ws package throws what nobody listens to.
    socket.onerror = () => {}
    socket.onclose = async ({ code }) => {
      if (isClosed) return
      options.onState?.('lost')
      const isOther =
        code === OTHER_EPOCH || (!wasOpen && since !== undefined && (await isRefused(url, since)))
      if (isClosed) return
      if (isOther) {
        since = undefined
        options.onReset?.()
      }
      timer = setTimeout(open, Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS))
    }
  }
  open()
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
      socket?.close()
    },
  }
}
