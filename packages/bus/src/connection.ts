import { ServiceError, withoutPassword, type Logger } from '@payment-tracking/runtime'
import { connect, credsAuthenticator, Events, type ConnectionOptions, type NatsConnection } from 'nats'
import { readFile } from 'node:fs/promises'

export interface BusConfig {
  /** one or several servers, separated by commas; user and password or token in the URL */
  NATS_URL: string
  /** a credentials file (JWT and seed), for servers with decentralised authentication */
  NATS_CREDS?: string
}

/** NATS cannot be reached or answers with an error that may pass. */
export class BusUnavailableError extends ServiceError {
  readonly code = 'BUS_UNAVAILABLE'
  readonly retry = 'later'
}

/** Splits `nats://user:password@host` into what the client wants. */
function optionsOf(urls: string): Pick<ConnectionOptions, 'servers' | 'user' | 'pass' | 'token' | 'tls'> {
  const parsed = urls.split(',').map(url => new URL(url.trim()))
  const { username, password } = parsed[0]!
  const credentials = password
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : username
      ? { token: decodeURIComponent(username) }
      : {}
  const tls = parsed.some(url => url.protocol === 'tls:') ? { tls: {} } : {}
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
      ...optionsOf(config.NATS_URL),
      ...(config.NATS_CREDS ? { authenticator: credsAuthenticator(await readFile(config.NATS_CREDS)) } : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      reconnectJitter: 250,
      waitOnFirstConnect: true,
      pingInterval: 10_000,
      maxPingOut: 2,
    })
    void watch(connection, log)
    return connection
  } catch (cause) {
    throw new BusUnavailableError(`cannot connect to ${withoutPassword(config.NATS_URL)}`, { cause })
  }
}

async function watch(connection: NatsConnection, log: Logger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect || type === Events.Reconnect)
      log.warn({ server: data }, type === Events.Disconnect ? 'bus.disconnected' : 'bus.reconnected')
    else if (type === Events.Error) log.warn({ data }, 'bus.error')
  }
}
