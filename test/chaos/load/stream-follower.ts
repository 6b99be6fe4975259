// Follows the stream of all events, as a back office does: from the last cursor on, whenever it was cut off.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

interface StreamedEvent {
  id: string
  position: number
}

const AGAIN_MS = 150
const OTHER_EPOCH = 4009
const FROM_THE_FIRST = '0'

interface StreamMessage extends StreamedEvent {
  type?: string
  cursor: string
}

/**
 * Resolves when it follows from now on. Nothing is broken yet: it must be let in at the first try.
 * @param promoted whether a standby that lacked commits was promoted
 */
export async function openStreamFollower(baseUrl: string, promoted: () => boolean) {
  const events: StreamedEvent[] = []
  const lost: StreamedEvent[] = []
  const problems: string[] = []
  const url = `${baseUrl.replace('http', 'ws')}/v1/events/stream`
  let cursor: string | undefined
  const forget = () => {
    lost.push(...events.splice(0))
    cursor = FROM_THE_FIRST
  }
  let closing = false
  let socket: WebSocket | undefined
  let opened: () => void = () => {}
  const first = new Promise<void>(resolve => (opened = resolve))

  const follow = (): Promise<void> =>
    new Promise(resolve => {
      const asked = cursor === undefined ? '' : `?since=${encodeURIComponent(cursor)}`
      socket = new WebSocket(url + asked, { handshakeTimeout: 3_000 })
      socket.on('open', opened)
      socket.on('message', (bytes: Buffer) => {
        const { type, id, position, ...message } = JSON.parse(bytes.toString('utf8')) as StreamMessage
        // The first message names the head of the stream and is no event.
        if (type !== 'head') events.push({ id, position })
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
    /** In the order they came, over all connections. */
    events,
    /** What it had been told of a database that lost commits. */
    lost,
    problems,
    async close() {
      closing = true
      socket?.terminate()
      await running
    },
  }
}

export type StreamFollower = Awaited<ReturnType<typeof openStreamFollower>>
