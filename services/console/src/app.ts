// The web server of the console. At its start the server reads the built site into memory, and answers from there. The
// server connects to no other server and holds no secret.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  answerRawError,
  arrivalLimits,
  writeRefusal,
  type Intake,
  type Logger,
  type Metrics,
  type Refusal,
} from '@payment-tracking/runtime'
import type { ConsoleConfig } from './config.js'
import { chooseBody } from './files/choose-body.js'
import { findFile } from './files/find-file.js'
import type { Site, SiteFile } from './files/read-site.js'
import { cachingOf, SECURITY_HEADERS } from './headers.js'

export interface AppParts {
  config: ConsoleConfig
  log: Logger
  site: Site
  metrics: Metrics
}

/** A connection on which nothing moves for this long is closed: a client that does not read must not hold an answer. */
const SILENCE_LIMIT_MS = 20_000
/** Longer than load balancers keep a connection, so that they close it and never send into a closed one. */
const KEEP_ALIVE_MS = 75_000

const LONGEST_LOGGED_PATH = 200

const NOT_FOUND: Refusal = { status: 404, code: 'NOT_FOUND', sentence: 'There is nothing at this path.' }
const NOT_ALLOWED: Refusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  sentence: 'This path takes GET and HEAD only.',
}

/** Whether the client has this form already. */
const knows = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers['if-none-match'] ?? '')
    .split(',')
    .map(entry => entry.trim().replace(/^W\//, ''))
    .some(entry => entry === etag || entry === '*')

function sendFile(request: IncomingMessage, response: ServerResponse, file: SiteFile, isAsset: boolean) {
  const { encoding, bytes, etag } = chooseBody(file, String(request.headers['accept-encoding'] ?? ''))
  const headers = {
    ...SECURITY_HEADERS,
    'cache-control': cachingOf(isAsset),
    vary: 'accept-encoding',
    etag,
  }
  if (knows(request, etag)) return response.writeHead(304, headers).end()
  response.writeHead(200, {
    ...headers,
    'content-type': file.type,
    'content-length': bytes.length,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  })
  return response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** Builds the server. Building does not listen. */
export function buildApp({ config, log, site, metrics }: AppParts): Intake {
  const answered = metrics.counter('console_requests_total', 'requests for pages and their files', ['status'])
  let isStopping = false

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    // A connection that was busy when the stop began would stay alive, and the stop would wait for it.
    if (isStopping) response.setHeader('connection', 'close')
    const refuse = (refusal: Refusal, headers: Record<string, string> = {}) =>
      writeRefusal(response, refusal, { ...SECURITY_HEADERS, ...headers })
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(NOT_ALLOWED, { allow: 'GET, HEAD' })
    const found = findFile(site, request.url ?? '/')
    if (found.kind === 'nothing') return refuse(NOT_FOUND)
    if (found.kind === 'file') return void sendFile(request, response, found.file, found.isAsset)
    response.writeHead(301, { ...SECURITY_HEADERS, location: found.location, 'content-length': 0 }).end()
  }

  const server = createServer(
    {
      ...arrivalLimits(),
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
    },
    (request, response) => {
      const startedAt = performance.now()
      response.once('close', () => {
        const status = String(response.statusCode)
        answered.inc({ status })
        const durationMs = Math.round((performance.now() - startedAt) * 10) / 10
        const path = request.url?.split('?', 1)[0]?.slice(0, LONGEST_LOGGED_PATH)
        const { method } = request
        log.info({ method, path, status: response.statusCode, durationMs }, 'request.answered')
      })
      answer(request, response)
    },
  )
  server.timeout = SILENCE_LIMIT_MS
  // An unknown expectation is no reason to refuse; Node alone would answer 417 without a body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('clientError', answerRawError)

  return {
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(config.PORT, config.HOST, () => {
          const { address, port } = server.address() as AddressInfo
          log.info({ address: `http://${address}:${port}` }, 'http.listening')
          resolve()
        })
      }),
    stop: () =>
      new Promise(resolve => {
        isStopping = true
        server.close(() => resolve())
        // Answers are small: who has not read one by now does not read.
        setTimeout(() => server.closeAllConnections(), config.STOP_DEADLINE_MS / 2).unref()
      }),
  }
}
