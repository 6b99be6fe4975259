// Deliveries to a server on this machine. The command is itself an endpoint: it prints each delivery, passes its bytes
// and headers on unchanged, and answers what the local server answers, so that retries happen as in production.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { visibleText } from '@payment-tracking/contracts'
import { deriveGateway, isSignedDelivery } from '@payment-tracking/domain'
import { readArguments, refuseArguments } from '@payment-tracking/runtime'
import { calledAs } from '../called-as.js'
import { findStack, untilStackEnds } from '../find-stack.js'
import { openFeed } from './follow-feed.js'
import { openGatewaySession, ServiceRefusedError } from './gateway-session.js'
import { keyFileOf, readKeyFile } from './key-file.js'
import { keepListener, redeliverMissed } from './listener.js'
import { startLocalServer } from './local-server.js'
import { programIdOf } from './program-id.js'

const USAGE = `usage: ${calledAs('listen', '[--forward URL [--run COMMAND]] [--key FILE] [--gateway ADDRESS]')}
       ${calledAs('listen', '--print-secret')}
  Shows the webhook deliveries of a gateway, and those that it missed since it last ran. Where the
  service can reach no endpoint on this machine, it follows the gateway's feed. It ends when the
  service does.
  --forward URL       sends each delivery on to a local server, with its signature
  --run COMMAND       starts that server, with WEBHOOK_SECRET and PORT, and ends with it
  --print-secret      prints the secret that signs the deliveries, and ends
  --key FILE          the key of the gateway's authority or signer
                      (default: gateway-key.json in DATA_DIR)
  --gateway ADDRESS   the gateway (default: the gateway that the key owns)`

const OPTIONS = {
  forward: { type: 'string' },
  run: { type: 'string' },
  'print-secret': { type: 'boolean' },
  key: { type: 'string' },
  gateway: { type: 'string' },
} as const

/** The service reaches no address of this machine, or the gateway has all its endpoints. */
const NO_ENDPOINT: ReadonlySet<string> = new Set(['INVALID_ENDPOINT_URL', 'TOO_MANY_WEBHOOKS'])
/** Less than the service waits for an answer. */
const FORWARD_TIMEOUT_MS = 9_000
/** A delivery's body is smaller. */
const MOST_BYTES = 1_048_576
/** The headers of a delivery that its receiver needs. */
const isPassedOn = (name: string): boolean => name.startsWith('webhook-') || name === 'content-type'

/**
 * `npm run listen`: runs until Ctrl-C, or until the service or the server of `--run` ends.
 * @returns the exit code
 * @throws KeyFileError, NoStackError, or an Error with the reason of the service
 */
export async function listen(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { values } = readArguments({ usage: USAGE, options: OPTIONS }, args)
  const forward = values.forward === undefined ? undefined : readUrl(values.forward)
  // The port of `npm start` is none for the server of `--run`.
  const serverEnv = (secret: string) => ({ ...env, PORT: forward?.port, WEBHOOK_SECRET: secret })
  const { baseUrl } = findStack(env)
  const key = readKeyFile(keyFileOf(values.key, env))
  const gateway = values.gateway ?? deriveGateway(programIdOf(env), key.publicKey)
  const signIn = () => openGatewaySession(baseUrl, gateway, key)
  const session = await signIn()
  const listener = await keepListener(session, env).catch((error: unknown) => {
    if (error instanceof ServiceRefusedError && NO_ENDPOINT.has(error.code ?? '')) return null
    throw error
  })
  if (listener === null) {
    const feed = openFeed(env, gateway, signIn, (headers, body) =>
      postLocally(forward, headers, Buffer.from(body)),
    )
    if (values['print-secret']) {
      console.log(feed.secret)
      return 0
    }
    report({ gateway, forward, secret: feed.secret, log: 'no endpoint: following the feed' })
    const ended = new AbortController()
    const code = untilEnded(values.run, serverEnv(feed.secret)).finally(() => ended.abort())
    await feed.follow(ended.signal)
    return code
  }
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
  const { secret } = listener
  report({
    gateway,
    forward,
    secret,
    log: `log\n  ${baseUrl}/console/endpoints/${listener.id}?gateway=${gateway}`,
  })
  const missed = await redeliverMissed(session, listener)
  if (missed > 0)
    console.log(missed === 1 ? '1 missed delivery comes again' : `${missed} missed deliveries come again`)
  const code = await untilEnded(values.run, serverEnv(secret))
  server.close()
  server.closeAllConnections()
  return code
}

/**
 * Runs the local server, if there is a command for it, until something ends.
 * @returns the exit code
 */
async function untilEnded(command: string | undefined, env: NodeJS.ProcessEnv) {
  const over = new AbortController()
  const local = command === undefined ? undefined : startLocalServer(command, env)
  try {
    return await Promise.race([
      new Promise<number>(resolve => {
        process.once('SIGINT', () => resolve(0))
        process.once('SIGTERM', () => resolve(0))
      }),
      untilStackEnds(env, over.signal).then(() => {
        if (!over.signal.aborted) console.log('the service has ended, and so does this')
        return 0
      }),
      ...(local === undefined ? [] : [local.ended]),
    ])
  } finally {
    over.abort()
    local?.stop()
  }
}

function readUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    refuseArguments(USAGE, '--forward must be a URL such as http://localhost:8080/hooks')
  return new URL(text)
}

function report(shown: { gateway: string; forward: URL | undefined; secret: string; log: string }) {
  const { gateway, forward, secret, log } = shown
  console.log(`listening for ${gateway}`)
  if (forward) console.log(`forwarding to ${forward.href}`)
  console.log(`secret   ${secret}`)
  console.log(log)
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
  response.writeHead(await passOn(forward, headers, body)).end()
}

/** Passes a message on, and prints it. @returns the status of the answer */
async function passOn(
  forward: URL | undefined,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
): Promise<number> {
  const answer = forward === undefined ? { status: 204, why: '' } : await pass(forward, headers, body)
  const outcome = forward === undefined ? '' : ` → ${answer.status}${answer.why && ` (${answer.why})`}`
  const shown = visibleText(`${describe(body)}\n  ${headers['webhook-id'] ?? ''}${outcome}`, {
    keepLines: true,
  })
  console.log(`${new Date().toISOString()} ${shown}`)
  return answer.status
}

/** @returns whether the local server took it */
async function postLocally(
  forward: URL | undefined,
  headers: Record<string, string>,
  body: Buffer<ArrayBuffer>,
): Promise<boolean> {
  const status = await passOn(forward, headers, body)
  return status >= 200 && status < 300
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
