// Follows the stream of all events, as a back office does: from the last cursor on, whenever it was cut off.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Recorder } from '../../history/recorder.js'

export interface StreamFollower {
  /** Ids of events, in the order they came, over all connections. */
  ids: string[]
  /** How often it had to connect again. */
  readonly returns: number
  problems: string[]
  close(): Promise<void>
}

const AGAIN_MS = 150
const OTHER_EPOCH = 4009
const FROM_THE_FIRST = '0'

interface StreamMessage {
  type?: string
  id: string
  cursor: string
  position: number
  epoch: string
  eventName: string
  signature: string
  data?: { gateway?: unknown }
  trackingId?: string | null
  seq?: number | null
}

/**
 * Resolves when it follows from now on. Nothing is broken yet: it must be let in at the first try.
 * @param promoted whether a standby that lacked commits was promoted
 */
export async function openStreamFollower(
  baseUrl: string,
  promoted: () => boolean,
  recorder: Recorder,
): Promise<StreamFollower> {
  const ids: string[] = []
  const problems: string[] = []
  const url = `${baseUrl.replace('http', 'ws')}/v1/events/stream`
  let cursor: string | undefined
  const forget = () => {
    ids.length = 0
    cursor = FROM_THE_FIRST
  }
  let returns = -1
  let closing = false
  let socket: WebSocket | undefined
  let opened: () => void = () => {}
  const first = new Promise<void>(resolve => (opened = resolve))

  const follow = (): Promise<void> =>
    new Promise(resolve => {
      const asked = cursor === undefined ? '' : `?since=${encodeURIComponent(cursor)}`
      socket = new WebSocket(url + asked, { handshakeTimeout: 3_000 })
      returns++
      const of = { who: 'back office', via: 'stream', connection: recorder.next() } as const
      recorder.note({ ...of, what: 'ask', ...(cursor !== undefined && { since: cursor }) })
      socket.on('open', opened)
      socket.on('message', (bytes: Buffer) => {
        const message = JSON.parse(bytes.toString('utf8')) as StreamMessage
        recorder.note({ ...of, ...noteOf(message) })
        // The first message names the head of the stream and is no event.
        if (message.type !== 'head') ids.push(message.id)
        cursor = message.cursor
      })
      socket.on('unexpected-response', (_request, response) => {
        const status = response.statusCode ?? 0
        // The cursor is of a database that lost commits: the follower begins anew, as a back office would.
        if (status === 400 && promoted()) forget()
        else if (status >= 400 && status < 500)
          problems.push(`stream of events: answered ${status} to ${asked}`)
        socket!.terminate()
        resolve()
      })
      socket.on('error', () => {})
      socket.once('close', (code: number) => {
        if (code === OTHER_EPOCH && promoted()) forget()
        resolve()
      })
    })
  const running = (async () => {
    while (!closing) {
      await follow()
      await sleep(AGAIN_MS)
    }
  })()
  await first
  return {
    ids,
    problems,
    get returns() {
      return returns
    },
    async close() {
      closing = true
      socket?.terminate()
      await running
    },
  }
}

function noteOf({
  type,
  id,
  cursor,
  position,
  epoch,
  eventName,
  signature,
  data,
  ...payment
}: StreamMessage) {
  if (type === 'head') return { what: 'head', epoch, position, cursor } as const
  const { trackingId, seq } = payment
  return {
    ...({ what: 'event', position, cursor, eventId: id, name: eventName, signature } as const),
    ...(typeof data?.gateway === 'string' && { gateway: data.gateway }),
    ...(typeof trackingId === 'string' && typeof seq === 'number' && { trackingId, seq }),
  }
}
