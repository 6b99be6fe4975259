// All events as they are stored, through lost connections. For browsers, and for Node 22 or later, which have WebSocket.
import type { Schemas } from './api-client.js'
import { parseExact } from './exact-fetch.js'

/** An event record with its place in the stream. */
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
 * Follows the stream of all events, each once and in the order of commits.
 * @param baseUrl the service's root, the same as for REST
 */
export function watchEvents(baseUrl: string, options: WatchEventsOptions): { close(): void } {
  let since = options.since
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let socket: WebSocket | undefined
  let isClosed = false

  const open = () => {
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}/v1/events/stream`)
    url.protocol = url.protocol.replace('http', 'ws')
    for (const [name, value] of Object.entries(options.filters ?? {})) url.searchParams.set(name, value)
    if (since !== undefined) url.searchParams.set('since', since)
    socket = new WebSocket(url)
    socket.onopen = () => options.onState?.('open')
    socket.onmessage = ({ data }) => {
      const message = parseExact(data as string) as Schemas['StreamHead'] | StreamedEvent
      failures = 0
      since = message.cursor
      if (!('type' in message)) options.onEvent(message)
    }
    socket.onclose = ({ code }) => {
      if (isClosed) return
      options.onState?.('lost')
      if (code === OTHER_EPOCH) {
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
