import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { readTrustedProxies } from '@payment-tracking/runtime'
import { makeRoles, migrate } from '@payment-tracking/store/core'
import { keepSecret, makeDataDir, openServers, findFreePort, identify } from '../servers/index.js'
import { checkAddresses } from './check-addresses.js'
import { checkServers } from './check-servers.js'
import { listSettings, readStackConfig, type StackConfig } from './config.js'
import { openEdge } from './edge.js'
import { findMisspelt } from './find-misspelt.js'
import { renderGuide } from './guide.js'
import { keepServers, type KeptServers } from './keep-servers.js'
import { relayIndexer } from './relay-indexer.js'
import { keepCheckoutKeys, keepJwtKeys } from './secrets.js'
import { buildServiceSpecs, SERVICES, USUAL_OPS_PORT, type ServiceSettings } from './service-specs.js'
import { endLeftovers, removeStackFile, writeStackFile, type StackFile } from './stack-file.js'
import { superviseService, type SupervisedService } from './supervise.js'

const DATABASE_NAME = 'payment_tracking'

/**
 * @returns the key of the market's gateway, a link that signs in to the console as it (undefined where that fails), and
 *   what ends the market
 */
export type PlayMarket = (parts: {
  natsUrl: string
  baseUrl: string
  /** Whether the event that created this gateway is stored. */
  knowsGateway: (gateway: string) => Promise<boolean>
  env: NodeJS.ProcessEnv
  log: (line: string) => void
}) => Promise<{ keyFile: string; signInLink: Promise<string | undefined>; close: () => Promise<void> }>

export interface Launch {
  env: NodeJS.ProcessEnv
  log: (line: string) => void
  /** Aborted to stop, even during the start. */
  signal: AbortSignal
  /** Aborted to end everything at once, without waiting. */
  force: AbortSignal
  /** plays a made-up market as soon as everything is ready; without it nothing plays */
  playMarket: PlayMarket | undefined
}

/**
 * Runs the whole stack until the signal: servers, migrations, services, edge. Closes everything in reverse order, even
 * when a later step fails.
 * @throws the reason why the stack could not start or go on; the message names the cure
 */
export async function launch(options: Launch): Promise<void> {
  const { env, log, signal, force } = options
  const config = await readStackConfig(env, SERVICES)
  for (const line of findMisspelt(env, await listSettings(SERVICES))) log(`WARNING: ${line}`)
  await checkAddresses(config)
  const dataDir = makeDataDir(config.DATA_DIR)
  const given = { postgres: config.DATABASE_URL, redis: config.REDIS_URL, nats: config.NATS_URL }
  await checkServers(given)
  const secrets = {
    opsToken: config.OPS_TOKEN ?? keepSecret(join(dataDir, 'ops-token')),
    jwtPrivateKeys: config.JWT_PRIVATE_KEYS ?? keepJwtKeys(dataDir),
    checkoutTokenKeys: config.CHECKOUT_TOKEN_KEYS ?? keepCheckoutKeys(dataDir),
  }
  const closers: (() => Promise<void>)[] = []
  try {
    log('starting Postgres, Redis and NATS …')
    const subjectPrefixes = [env.SUBJECT_PREFIX?.trim() || DEFAULT_SUBJECT_PREFIX]
    const servers = await openServers({ dataDir, log, urls: given, subjectPrefixes })
    force.addEventListener('abort', () =>
      Object.values(servers.private).forEach(server => server.signalStop()),
    )
    const kept = keepServers(servers.private, log)
    closers.push(async () => {
      log('stopping the servers …')
      await kept.release()
      await servers.close()
    })
    await endLeftovers(dataDir, log)
    signal.throwIfAborted()
    const urls = {
      ...servers,
      databaseUrl: config.DATABASE_URL ?? withDatabase(servers.databaseUrl, DATABASE_NAME),
    }
    if (servers.private.postgres) await makeRoles(servers.databaseUrl)
    const applied = await migrate(urls.databaseUrl)
    log(
      applied.length > 0
        ? `migrated the database (${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'}, up to ${applied.at(-1)})`
        : 'the database is up to date',
    )
    signal.throwIfAborted()
    const own = {
      postgres: servers.private.postgres !== undefined,
      nats: servers.private.nats !== undefined,
    }
    await runServices({ ...options, config, dataDir, urls, own, closers, kept, secrets })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

interface Run extends Launch {
  config: StackConfig
  dataDir: string
  urls: { databaseUrl: string; redisUrl: string; natsUrl: string }
  own: ServiceSettings['own']
  closers: (() => Promise<void>)[]
  kept: KeptServers
  secrets: { opsToken: string; jwtPrivateKeys: string; checkoutTokenKeys: string }
}

async function runServices(run: Run): Promise<void> {
  const { config, dataDir, urls, own, env, log, signal, force, playMarket, closers, kept, secrets } = run
  const opsPort = config.OPS_PORT || (await findFreePort(USUAL_OPS_PORT))
  const services: SupervisedService[] = []
  const portsOf = (service: string) =>
    services.flatMap(({ name, port }) => (name.startsWith(service) && port !== undefined ? [port] : []))
  const edge = await openEdge({
    host: config.HOST,
    port: config.PORT,
    trustedProxies: readTrustedProxies(config.TRUST_PROXY),
    portsOf,
  })
  const specs = buildServiceSpecs({ config, urls, own, baseUrl: edge.url, opsPort, ...secrets })
  log(`starting ${specs.map(({ name }) => name).join(', ')} …`)
  const describe = (): StackFile => ({
    launcher: identify(process.pid),
    baseUrl: edge.url,
    opsUrl: `http://127.0.0.1:${portsOf('ops')[0] ?? 0}`,
    opsToken: secrets.opsToken,
    environment: config.ENVIRONMENT,
    databaseUrl: urls.databaseUrl,
    redisUrl: urls.redisUrl,
    natsUrl: urls.natsUrl,
    services: services.map(({ name, identity, port, managementUrl }) => ({
      name,
      process: identity ?? null,
      port: port ?? null,
      managementUrl: managementUrl ?? null,
    })),
  })
  const onChange = () => writeStackFile(dataDir, describe())
  for (const spec of specs) {
    services.push(superviseService({ spec, env, dataDir, log, onChange }))
  }
  force.addEventListener('abort', () => services.forEach(service => void service.stop('SIGKILL')))
  closers.push(async () => {
    log('stopping the services …')
    await Promise.all(services.map(service => service.stop('SIGTERM')))
    await edge.close()
    removeStackFile(dataDir)
  })
  if (config.SOLANA_RPC_URLS) closers.push(relayIndexer(join(dataDir, 'logs', 'indexer.log'), log))
  const givenUp = Promise.race([kept.failed, ...services.map(({ failed }) => failed)])
  const aborted = new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }))
  await Promise.race([waitUntilReady(services, log, signal), givenUp, aborted])
  if (signal.aborted) return
  onChange()
  log(`ready ${edge.url}`)
  const knowsGateway = async (gateway: string) => {
    const query = new URLSearchParams({ eventName: 'PaymentGatewayCreated', gateway, limit: '1' })
    const response = await fetch(`${edge.url}/v1/events?${query.toString()}`)
    if (!response.ok) throw new Error(`${response.url} answered ${response.status}`)
    return ((await response.json()) as unknown[]).length > 0
  }
  const market = await playMarket?.({ natsUrl: urls.natsUrl, baseUrl: edge.url, knowsGateway, env, log })
  if (market) closers.push(market.close)
  const signInLink = await Promise.race([market?.signInLink, givenUp, aborted])
  if (signal.aborted) return
  log(
    renderGuide(describe(), {
      allowsPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
      followsChain: config.SOLANA_RPC_URLS !== undefined,
      demo: market && { keyFile: market.keyFile, signInLink: signInLink ?? undefined },
      dataDir: config.DATA_DIR,
    }),
  )
  await Promise.race([givenUp, aborted])
}

const PATIENCE_MS = 10_000

/** Reports after a while what is not ready, and goes on waiting. */
async function waitUntilReady(
  services: readonly SupervisedService[],
  log: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let next = Date.now() + PATIENCE_MS
  for (;;) {
    const waiting = services.filter(({ ready }) => !ready)
    if (waiting.length === 0 || signal.aborted) return
    if (Date.now() > next) {
      next += PATIENCE_MS
      const reasons = await Promise.all(
        waiting.map(async service => ({ name: service.name, reason: await service.whyNotReady() })),
      )
      const lines = reasons.flatMap(({ name, reason }) =>
        reason === undefined ? [] : [`${name}: ${reason}`],
      )
      if (lines.length > 0) log(['still waiting for', ...lines].join('\n  '))
    }
    await sleep(30)
  }
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
