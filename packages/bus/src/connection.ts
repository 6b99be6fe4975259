import {
  readTls,
  ServiceError,
  withoutPassword,
  type Logger,
  type NatsConfig,
} from '@payment-tracking/runtime'
import { connect, credsAuthenticator, Events, type ConnectionOptions, type NatsConnection } from 'nats'
import { readFile } from 'node:fs/promises'
import { inboxOf } from './permissions.js'

/** The settings of NATS; `NATS_URL` may name several servers, with user and password or a token in the first. */
export type BusConfig = NatsConfig

/** NATS cannot be reached or answers with an error that may pass. */
export class BusUnavailableError extends ServiceError {
  readonly code = 'BUS_UNAVAILABLE'
  readonly retry = 'later'
}

/**
 * For questions that are soon asked again: a server that is cut off from the others gives no answer. No question before
 * them asks for the account, which only the leader of the whole cluster may answer.
 */
export const ASKING = { timeout: 2_000, checkAPI: false }

/** Splits `nats://user:password@host` into what the client wants. */
export function optionsOf(
  config: BusConfig,
): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls' | 'inboxPrefix'> {
  const parsed = config.NATS_URL.split(',').map(url => new URL(url.trim()))
  const { username, password } = parsed[0]!
  const credentials = password
    ? {
        user: decodeURIComponent(username),
        pass: decodeURIComponent(password),
        inboxPrefix: inboxOf(decodeURIComponent(username)),
      }
    : username
      ? { token: decodeURIComponent(username) }
      : {}
  const options = readTls(config.NATS_TLS_CA, config.NATS_TLS_CERT, config.NATS_TLS_KEY)
  const tls = options || parsed.some(url => url.protocol === 'tls:') ? { tls: options ?? {} } : {}
  return { servers: parsed.map(url => `${url.hostname}:${url.port || 4222}`), ...credentials, ...tls }
}

/**
 * Connects, waiting for a server that is not there yet, and reconnects for ever: a lost server is a pause,
 * never the end of the process.
 * @throws BusUnavailableError when the credentials are refused or the URL is no URL
 */
export async function connectBus(config: BusConfig, name: string, log: Logger): Promise<NatsConnection> {
  try {
    const connection = await connect({
      ...optionsOf(config),
      ...(config.NATS_CREDS ? { authenticator: credsAuthenticator(await readFile(config.NATS_CREDS)) } : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      reconnectJitter: 250,
      waitOnFirstConnect: true,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Otherwise each request makes an Error, in case it fails: a seventh of the CPU of a publication.
      noAsyncTraces: true,
    })
    void watch(connection, log)
    warnOfOldCluster(connection, log)
    return connection
  } catch (cause) {
    throw new BusUnavailableError(`cannot connect to ${withoutPassword(config.NATS_URL)}`, { cause })
  }
}

/** Replicas of older servers can differ after a restart (nats-server#4365), when a publisher sends ids. */
const FIRST_EXACT_CLUSTER = [2, 9, 21]

function warnOfOldCluster({ info }: NatsConnection, log: Logger): void {
  if (info?.cluster === undefined) return
  const parts = info.version.split('.').map(part => parseInt(part))
  const at = FIRST_EXACT_CLUSTER.findIndex((part, index) => part !== parts[index])
  if (at === -1 || parts[at]! > FIRST_EXACT_CLUSTER[at]!) return
  const cure = 'install 2.9.21 or later; until then no publisher may send Nats-Msg-Id'
  log.warn({ version: info.version, cure }, 'bus.old-cluster')
}

async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect || type === Events.Reconnect)
      log.warn({ server: data }, type === Events.Disconnect ? 'bus.disconnected' : 'bus.reconnected')
    else if (type === Events.Error) log.warn({ data }, 'bus.error')
  }
}
