// A deployment of docker-compose.yml as it stands, under a project name of the test's own.
import { randomBytes } from 'node:crypto'
import { appendFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { BUS_USERS, type BusUser } from '@payment-tracking/bus'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { roleOf, SERVICES_WITH_ROLES, type ServiceWithRole } from '@payment-tracking/store/core'
import { queryOnce, type TestContext } from '@payment-tracking/testkit'
import { programPath } from './install.js'
import { inHome, run } from './machine.js'

/** The networks of containers and of the machine's bridges: the test connects through one of them, as a TLS proxy would. */
const PROXIES = '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16'

/** The role that migrates. */
const OWNER = 'payments'

const secret = () => randomBytes(24).toString('hex')
/** `POSTGRES_WEBHOOK_WORKER_PASSWORD` */
const passwordName = (server: string, name: string) =>
  `${server}_${name.replaceAll('-', '_').toUpperCase()}_PASSWORD`

/**
 * Brings everything up; at the end of the test everything is removed.
 * @param settings more lines for the env file
 * @param services those to start; all when empty
 */
export async function deploy(
  t: TestContext,
  settings: Record<string, string> = {},
  services: readonly string[] = [],
) {
  const name = `containers-${randomBytes(3).toString('hex')}`
  const [port, opsPort, natsPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const opsToken = secret()
  const passwords: Record<string, string> = Object.fromEntries(
    [
      ...['SUPERUSER', 'owner', ...SERVICES_WITH_ROLES].map(role => passwordName('POSTGRES', role)),
      ...BUS_USERS.map(user => passwordName('NATS', user)),
      'REDIS_PASSWORD',
    ].map(name => [name, secret()]),
  )
  const databaseUrl = (role: string, password: string, host = 'postgres') =>
    `postgresql://${role}:${passwords[passwordName('POSTGRES', password)]}@${host}:5432/payment_tracking`
  const natsUrl = (user: BusUser, address: string) =>
    `nats://${user}:${passwords[passwordName('NATS', user)]}@${address}`
  const values: Record<string, string> = {
    ENVIRONMENT: 'production',
    HOST: '127.0.0.1',
    PORT: String(port),
    OPS_PORT: String(opsPort),
    NATS_PORT: String(natsPort),
    ...passwords,
    PUBLIC_ORIGINS: `http://127.0.0.1:${port}`,
    OPS_TOKEN: opsToken,
    JWT_PRIVATE_KEYS: `'${buildJwtKeys()}'`,
    TRUSTED_PROXIES: PROXIES,
    ...settings,
  }
  const envFile = inHome(`${name}.env`)
  const set = (settings: Readonly<Record<string, string>>) => {
    for (const [key, value] of Object.entries(settings)) appendFileSync(envFile, `${key}=${value}\n`)
  }
  set(values)
  const project = ['-p', name, '--env-file', envFile]
  const compose = (...args: string[]) => run(programPath('docker-compose'), [...project, ...args])
  t.teardown(async () => {
    // What it says helps when the test failed; afterwards nothing of it is left.
    if (!(t as { passing?: () => boolean }).passing?.())
      console.error(await compose('logs', '--no-color', '--tail', '15').catch(String))
    await compose('down', '--volumes', '--timeout', '5', '--remove-orphans').catch((error: Error) =>
      console.error(error.message),
    )
    rmSync(envFile)
  })
  await compose('up', '--no-build', '--detach', '--wait', '--wait-timeout', '300', ...services)
  const containersOf = async (service: string) =>
    (await compose('ps', '--quiet', service)).split('\n').filter(Boolean)
  return {
    name,
    baseUrl: `http://127.0.0.1:${port}`,
    opsUrl: `http://127.0.0.1:${opsPort}`,
    opsToken,
    /** Of the user who publishes. */
    natsUrl: natsUrl('publisher', `127.0.0.1:${natsPort}`),
    /** The servers as containers in the network `data` reach them, each service in its own name. */
    serverUrls: {
      owner: databaseUrl(OWNER, 'owner'),
      redis: `redis://:${passwords.REDIS_PASSWORD}@redis:6379`,
      database: (service: ServiceWithRole) => databaseUrl(roleOf(OWNER, service), service),
      nats: (user: BusUser) => natsUrl(user, 'nats:4222'),
    },
    /** Adds lines to the env file, for the commands that follow. */
    set,
    /** One command of Docker Compose for this project. */
    compose,
    /** One statement to Postgres, as text to read. Images that stand in for the public ones have no psql. */
    async query(statement: string) {
      const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}'
      const [container] = await containersOf('postgres')
      const host = (await run('podman', ['inspect', '--format', format, container!])).trim()
      return (await queryOnce(databaseUrl(OWNER, 'owner', host), statement))
        .map(row => JSON.stringify(row))
        .join('\n')
    },
    /** Ids of those of a service that run. */
    containersOf,
    /** infra/docker/upgrade.sh with the images of this version. */
    upgrade: (version: string) =>
      run('infra/docker/upgrade.sh', project, {
        env: { BUILD: 'off', VERSION: version, DOCKER: 'podman', COMPOSE: programPath('docker-compose') },
      }),
    /** The machine's address in the network by which workers reach the world. */
    async hostAddress() {
      const networks = JSON.parse(await run('podman', ['network', 'inspect', `${name}_outside`])) as {
        subnets: { gateway: string }[]
      }[]
      return networks[0]!.subnets[0]!.gateway
    },
  }
}

/** The user of a container's first process, as the machine sees it. */
export async function userOf(container: string): Promise<number> {
  const pid = (await run('podman', ['inspect', '--format', '{{.State.Pid}}', container])).trim()
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^Uid:\s+(\d+)/m.exec(status)![1])
}
