// Deliveries to a server on this machine. The command is itself an endpoint: it prints each delivery, passes its bytes
// and headers on unchanged, and answers what the local server answers, so that retries happen as in production.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { visibleText } from '@payment-tracking/contracts'
import { deriveGateway, isSignedDelivery } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openGatewaySession } from './gateway-session.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { keepListener, redeliverMissed, type Listener } from './listener.js'
import { programIdOf } from './program-id.js'

const USAGE = `usage: ${calledAs('listen', '[--forward URL] [--key FILE] [--gateway ADDRESS]')}
       ${calledAs('listen', '--print-secret')}
  Shows the webhook deliveries of a gateway, and those that it missed since it last ran.
  --forward URL       sends each delivery on to a local server, with its signature
  --print-secret      prints the secret that signs the deliveries, and ends
  --key FILE          the key of the gateway's authority or signer
                      (default: gateway-key.json in DATA_DIR)
  --gateway ADDRESS   the gateway (default: the gateway that the key owns)`

const OPTIONS = {
  forward: { type: 'string' },
  'print-secret': { type: 'boolean' },
  key: { type: 'string' },
  gateway: { type: 'string' },
} as const

/** Less than the service waits for an answer. */
const FORWARD_TIMEOUT_MS = 9_000
/** A delivery's body is smaller. */
const MOST_BYTES = 1_048_576
/** The headers of a delivery that its receiver needs. */
const isPassedOn = (name: string): boolean => name.startsWith('webhook-') || name === 'content-type'

/**
 * `npm run listen`: runs until Ctrl-C.
 * @returns the exit code
 * @throws KeyFileError, NoStackError, or an Error with the reason of the service
 */
export async function listen(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS }, args)
  const forward = values.forward === undefined ? undefined : readUrl(values.forward)
  const { baseUrl } = findStack(env)
  const key = readKeyFile(keyFileOf(values.key, env))
  const gateway = values.gateway ?? deriveGateway(programIdOf(env), key.publicKey)
  const session = await openGatewaySession(baseUrl, gateway, key)
  const listener = await keepListener(session, env)
  if (values['print-secret']) {
    console.log(listener.secret)
    return 0
  }
  const server = createServer((request, response) => {
    // A caller that breaks off ends its own request alone.
    receive(request, response, { forward, secret: listener.secret }).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`${calledAs('listen')} runs already for this gateway`)
          : error,
      ),
    )
    server.listen(listener.port, '127.0.0.1', resolve)
  })
  report({ baseUrl, gateway, forward, listener })
  const missed = await redeliverMissed(session, listener)
  if (missed > 0)
    console.log(missed === 1 ? '1 missed delivery comes again' : `${missed} missed deliveries come again`)
  await new Promise<void>(resolve => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
  server.close()
  server.closeAllConnections()
  return 0
}

function readUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    refuseArguments(USAGE, '--forward must be a URL such as http://localhost:8080/hooks')
  return new URL(text)
}

function report(told: { baseUrl: string; gateway: string; forward: URL | undefined; listener: Listener }) {
  const { baseUrl, gateway, forward, listener } = told
  console.log(`listening for ${gateway}`)
  if (forward) console.log(`forwarding to ${forward.href}`)
  console.log(`secret   ${listener.secret}`)
  console.log(`log\n  ${baseUrl}/console/endpoints/${listener.id}?gateway=${gateway}`)
  console.log('Ctrl-C ends it; what comes meanwhile is delivered at the next start.')
}

/** Any program and any web page of this machine can call the port: what the service did not sign is refused. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { forward, secret }: { forward: URL | undefined; secret: string },
): Promise<void> {
  const body = await readBody(request)
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      isPassedOn(name) ? [[name, String(value)]] : [],
    ),
  )
  if (!body || !isSignedDelivery(headers, body.toString('utf8'), [secret], Date.now() / 1_000)) {
    response.writeHead(400, { connection: 'close' }).end('this is no delivery\n')
    return
  }
  const answer = forward === undefined ? { status: 204, why: '' } : await pass(forward, headers, body)
  const outcome = forward === undefined ? '' : ` → ${answer.status}${answer.why && ` (${answer.why})`}`
  const shown = visibleText(`${describe(body)}\n  ${headers['webhook-id'] ?? ''}${outcome}`, {
    keepLines: true,
  })
  console.log(`${new Date().toISOString()} ${shown}`)
  response.writeHead(answer.status).end()
}

/** @returns null for more than a delivery can be */
async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A delivery in one line. */
function describe(body: Buffer): string {
  const { type, data } = JSON.parse(body.toString('utf8')) as Partial<Record<string, unknown>>
  const { trackingId, amountString } = (data ?? {}) as Partial<Record<string, unknown>>
  const texts = [type, trackingId, amountString].map(value =>
    typeof value === 'string' ? value : value ? JSON.stringify(value) : '',
  )
  return visibleText(texts.filter(Boolean).join(' '))
}

/** @returns the local server's answer; 502 when it gives none, so that the delivery is tried again */
async function pass(
  forward: URL,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
): Promise<{ status: number; why: string }> {
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS)
    const { status } = await fetch(forward, { method: 'POST', headers, body, signal, redirect: 'manual' })
    return { status, why: '' }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException }
    return { status: 502, why: `the local server gave no answer: ${cause?.code ?? message}` }
  }
}
