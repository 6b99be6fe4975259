// Deliveries to a server on this machine. The command is itself an endpoint: it prints each delivery, passes its bytes
// and headers on unchanged, and answers what the local server answers, so that retries happen as in production.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { deriveGateway } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { calledAs } from '../called-as.js'
import { findStack } from '../find-stack.js'
import { openGatewaySession } from './gateway-session.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { keepListener, redeliverMissed, type Listener } from './listener.js'
import { programIdOf } from './program-id.js'
import { printable } from './printable.js'

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
  const server = createServer((request, response) => void receive(request, response, forward))
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

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  forward: URL | undefined,
): Promise<void> {
  const body = await buffer(request)
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      isPassedOn(name) ? [[name, String(value)]] : [],
    ),
  )
  const message = readMessage(body)
  if (!message) {
    response.writeHead(400).end('this is no delivery\n')
    return
  }
  const { type, data } = message
  const answer = forward === undefined ? { status: 204, why: '' } : await pass(forward, headers, body)
  const what = [type, printable(data.trackingId ?? ''), data.amountString ?? ''].filter(Boolean).join(' ')
  const outcome = forward === undefined ? '' : ` → ${answer.status}${answer.why && ` (${answer.why})`}`
  console.log(`${new Date().toISOString()} ${what}\n  ${headers['webhook-id'] ?? ''}${outcome}`)
  response.writeHead(answer.status).end()
}

interface Message {
  type: string
  data: { trackingId?: string | null; amountString?: string }
}

/** @returns undefined for what is no message: any program of this machine can call the port */
function readMessage(body: Buffer): Message | undefined {
  try {
    const message = JSON.parse(body.toString('utf8')) as Message | null
    return message?.data ? message : undefined
  } catch {
    return undefined
  }
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
