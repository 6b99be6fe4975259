// The HTTP requests to one node, by undici's low-level calls: `fetch` took half of the CPU of a backfill.
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Pool, type Dispatcher } from 'undici'

interface Reply {
  statusCode: number
  /** seconds that the node asks to wait, if it named some */
  retryAfterSeconds: number
  body: string
}

export interface JsonPoster {
  /** Posts a JSON text. @throws the connection's error, or a TimeoutError after the deadline */
  post(body: string): Promise<Reply>
  close(): Promise<void>
}

/** The deadline of a whole exchange, so that a node that sends byte by byte cannot hold a request. */
const TIMEOUT_MS = 20_000
/** The largest accepted answer, before and after decompression. A page of a thousand signatures has 300 KB. */
const MOST_BYTES = 64 * 1_024 * 1_024

const decompress = promisify(gunzip)

/** @param url a node's address; a user and a password in it are sent as basic authentication */
export function openJsonPoster(url: string): JsonPoster {
  const { origin, pathname, search, username, password } = new URL(url)
  const pool = new Pool(origin, {
    connect: { timeout: TIMEOUT_MS },
    // TIMEOUT_MS covers the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const request: Dispatcher.DispatchOptions = {
    method: 'POST',
    path: `${pathname}${search}`,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'gzip',
      ...(username && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
  }
  return { post: body => post(pool, { ...request, body }), close: () => pool.destroy() }
}

function post(pool: Pool, request: Dispatcher.DispatchOptions): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let statusCode = 0
    let headers: Record<string, string | string[] | undefined> = {}
    let controller: Dispatcher.DispatchController | undefined
    let late: Error | undefined
    const deadline = setTimeout(() => {
      late = new DOMException(`no answer within ${TIMEOUT_MS} ms`, 'TimeoutError')
      reject(late)
      controller?.abort(late)
    }, TIMEOUT_MS)
    pool.dispatch(request, {
      onRequestStart: started => {
        controller = started
        // The request waited for its connection until the deadline. undici sends nothing of the request.
        if (late) started.abort(late)
      },
      onResponseStart: (_, status, answered) => {
        statusCode = status
        headers = answered
      },
      onResponseData: (receiving, chunk) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > MOST_BYTES) receiving.abort(new RangeError(`the answer has more than ${MOST_BYTES} bytes`))
      },
      onResponseEnd: () => {
        clearTimeout(deadline)
        const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
        const retryAfterSeconds = Number(headers['retry-after']) || 0
        const reply = (body: Buffer) =>
          resolve({ statusCode, retryAfterSeconds, body: body.toString('utf8') })
        if (headers['content-encoding'] !== 'gzip') return reply(bytes)
        decompress(bytes, { maxOutputLength: MOST_BYTES }).then(reply, reject)
      },
      onResponseError: (_, error) => {
        clearTimeout(deadline)
        reject(error)
      },
    })
  })
}
