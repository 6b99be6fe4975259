// The pods of infra/kubernetes, run by podman beside the servers of docker-compose.yml: installed, given fixtures and
// upgraded by infra/kubernetes/upgrade.sh.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { buildJwtKeys } from '@payment-tracking/stack'
import { SERVICES_WITH_ROLES, type ServiceWithRole } from '@payment-tracking/store/core'
import { openPublisher, readExpectedAnswers, readFixtureMessages, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { deploy } from './deployment.js'
import { imageName } from './images.js'
import { inHome, run } from './machine.js'
import { build, of } from './read-manifests.js'
import { makeRelease } from './releases.js'

const OVERLAY = 'infra/kubernetes/overlays/devnet'

t.test('pods are installed, take fixtures, and are upgraded', { timeout: 600_000 }, async t => {
  await makeRelease('good')
  await makeRelease('failing')
  const stream = { STREAM_NAME: 'CHAIN_EVENTS_DEVNET', SUBJECT_PREFIX: 'devnet.events' }
  const servers = await deploy(t, stream, ['postgres', 'redis', 'nats'])
  const pods = servers.name
  const services = of('Deployment', await build('overlays/devnet')).map(({ metadata }) => metadata.name)
  const { owner, redis, database, nats } = servers.serverUrls
  const more: Partial<Record<ServiceWithRole, Record<string, string>>> = {
    ingest: { NATS_URL: nats('ingest') },
    api: { JWT_PRIVATE_KEYS: buildJwtKeys() },
    ops: { NATS_URL: nats('ops'), OPS_TOKEN: 'a-token-of-the-test-alone' },
  }
  const files: Record<string, Record<string, string>> = {
    'payment-tracking': { REDIS_URL: redis },
    'payment-tracking-migration': { DATABASE_URL: owner },
    ...Object.fromEntries(
      SERVICES_WITH_ROLES.map(service => [
        `payment-tracking-${service}`,
        { DATABASE_URL: database(service), ...more[service] },
      ]),
    ),
  }
  const folder = inHome(`${pods}-secrets`)
  t.teardown(async () => {
    for (const name of [...services, 'migrate'])
      await run('podman', ['pod', 'rm', '--force', `${pods}-${name}`]).catch(() => {})
    rmSync(folder, { recursive: true })
  })
  for (const [name, values] of Object.entries(files)) {
    mkdirSync(`${folder}/${name}`, { recursive: true })
    for (const [key, value] of Object.entries(values)) writeFileSync(`${folder}/${name}/${key}`, value)
  }
  const upgrade = (version?: string) => {
    const kubectl = `${process.execPath} --import tsx test/containers/kubectl.ts`
    const env = { KUBECTL: kubectl, PODS: pods, ...(version && { VERSION: version }) }
    return run('infra/kubernetes/upgrade.sh', [OVERLAY], { env })
  }
  const inspect = async (format: string, ...names: string[]) =>
    (await run('podman', ['inspect', '--format', format, ...names])).trim()
  const idsOf = () => inspect('{{.Id}}', ...services.map(name => `${pods}-${name}-app`))
  const addressOf = async (name: string) => {
    const infra = JSON.parse(await run('podman', ['pod', 'inspect', `${pods}-${name}`])) as {
      InfraContainerID: string
    }
    return inspect('{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', infra.InfraContainerID)
  }
  const allAreReady = async () => {
    for (const name of services) {
      const host = await addressOf(name)
      await waitFor(async () => (await fetch(`http://${host}:9100/readyz`)).ok, {
        what: `${name} to be ready`,
        timeoutMs: 120_000,
        intervalMs: 500,
      })
    }
  }
  const count = async () => {
    const answer = await fetch(`http://${await addressOf('api')}:3002/v1/events/count`)
    return ((await answer.json()) as { count: number }).count
  }

  await upgrade()
  await allAreReady()
  const resolver = await run('podman', ['exec', `${pods}-api-app`, 'cat', '/etc/resolv.conf'])
  for (const option of ['timeout:1', 'attempts:5', 'ndots:2'])
    t.match(resolver, new RegExp(`^options .*${option}\\b`, 'm'), `names are asked for with ${option}`)
  const publisher = await openPublisher({ NATS_URL: servers.natsUrl, ...stream })
  t.teardown(() => publisher.close())
  await publisher.publishAll(await readFixtureMessages())
  const { stored } = await readExpectedAnswers()
  await waitFor(async () => (await count()) === stored, {
    what: `${stored} stored events`,
    timeoutMs: 60_000,
  })

  const before = await idsOf()
  await t.rejects(upgrade('failing'), /migration failed/, 'a failing migration ends the upgrade')
  t.equal(await idsOf(), before, 'and no pod was replaced')
  t.equal(await count(), stored, 'the old ones go on')

  const resolve = ['packages/store/dist/migrate.js', '--rolled-back', '29990101000000_failing']
  const options = ['--rm', '--network', `${pods}_data`, '--env', `DATABASE_URL=${owner}`]
  await run('podman', ['run', ...options, imageName('migrate'), ...resolve])
  await upgrade('good')
  await allAreReady()
  for (const id of before.split('\n')) t.notMatch(await idsOf(), id, 'every pod is a new one')
  t.equal(await count(), stored)
})
