// Follows the stream of all events, as a back office does: from the last cursor on, whenever it was cut off.
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

export interface StreamFollower {
  /** Ids of events, in the order they came, over all connections. */
  ids: string[]
  /** How often it had to connect again. */
  readonly returns: number
  problems: string[]
  close(): Promise<void>
}

const AGAIN_MS = 150

/** Resolves when it follows from now on. Nothing is broken yet: it must be let in at the first try. */
export async function openStreamFollower(baseUrl: string): Promise<StreamFollower> {
  const ids: string[] = []
  const problems: string[] = []
  const url = `${baseUrl.replace('http', 'ws')}/v1/events/stream`
  let cursor: string | undefined
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
      socket.on('open', opened)
      socket.on('message', (bytes: Buffer) => {
        const message = JSON.parse(bytes.toString('utf8')) as { type?: string; id: string; cursor: string }
        // The first message names the head of the stream and is no event.
        if (message.type !== 'head') ids.push(message.id)
        cursor = message.cursor
      })
      socket.on('unexpected-response', (_request, response) => {
        const status = response.statusCode ?? 0
        if (status >= 400 && status < 500) problems.push(`stream of events: answered ${status} to ${asked}`)
        socket!.terminate()
        resolve()
      })
      socket.on('error', () => {})
      socket.once('close', () => resolve())
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
