// The pods of infra/kubernetes/base, run by podman beside the servers of docker-compose.yml, and fixtures through them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { buildJwtKeys } from '@payment-tracking/stack'
import { openPublisher, readExpectedAnswers, readFixtureMessages, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { stringify } from 'yaml'
import { deploy } from './deployment.js'
import { imageName } from './images.js'
import { inHome, run } from './machine.js'
import { migration, of, podOf } from './read-manifests.js'
import type { KubernetesObject } from './validate-object.js'

t.test('the pods of the base run, and fixtures go through them', { timeout: 600_000 }, async t => {
  const servers = await deploy(t, {}, ['postgres', 'redis', 'nats'])
  const files: Record<string, Record<string, string>> = {
    'payment-tracking': servers.serverUrls,
    'payment-tracking-api': { JWT_PRIVATE_KEYS: buildJwtKeys() },
    'payment-tracking-ops': { OPS_TOKEN: 'a-token-of-the-test-alone' },
  }
  const folder = inHome(`${servers.name}-pods`)
  mkdirSync(folder, { recursive: true })
  t.teardown(() => rmSync(folder, { recursive: true }))
  const secrets = Object.entries(files).map(([name, values]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    data: Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  }))
  const file = `${folder}/pods.yaml`
  const play = async (objects: readonly object[]) => {
    writeFileSync(file, objects.map(object => stringify(object)).join('---\n'))
    await run('podman', ['play', 'kube', '--network', `${servers.name}_data`, file])
  }
  const plain = (deployment: KubernetesObject) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${servers.name}-${deployment.metadata.name}`,
      labels: deployment.spec!.template!.metadata.labels,
    },
    spec: {
      ...podOf(deployment),
      containers: podOf(deployment).containers.map(container => ({
        ...container,
        image: imageName(container.image.split('/').at(-1)!),
        imagePullPolicy: 'Never',
      })),
    },
  })
  const maps = [...of('ConfigMap'), ...of('ConfigMap', migration)]
  const pods = [...of('Deployment'), ...of('Job', migration)].map(plain)
  t.teardown(async () => {
    for (const { metadata } of pods)
      await run('podman', ['pod', 'rm', '--force', metadata.name]).catch(() => {})
    for (const name of Object.keys(files)) await run('podman', ['secret', 'rm', name]).catch(() => {})
  })
  const migrate = pods.at(-1)!
  await play([...secrets, ...maps, migrate])
  await waitFor(
    async () =>
      (
        await run('podman', [
          'inspect',
          '--format',
          '{{.State.Status}} {{.State.ExitCode}}',
          `${migrate.metadata.name}-app`,
        ])
      ).trim() === 'exited 0',
    { what: 'the migration', timeoutMs: 60_000, intervalMs: 500 },
  )
  await play([...maps, ...pods.slice(0, -1)])
  const addressOf = async (name: string) =>
    (
      await run('podman', [
        'inspect',
        '--format',
        '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
        `${servers.name}-${name}-app`,
      ])
    ).trim() ||
    (await run('podman', ['pod', 'inspect', `${servers.name}-${name}`]).then(async text => {
      const { InfraContainerID } = JSON.parse(text) as { InfraContainerID: string }
      return (
        await run('podman', [
          'inspect',
          '--format',
          '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
          InfraContainerID,
        ])
      ).trim()
    }))
  for (const name of of('Deployment').map(({ metadata }) => metadata.name)) {
    const host = await addressOf(name)
    await waitFor(async () => (await fetch(`http://${host}:9100/readyz`)).ok, {
      what: `${name} to be ready`,
      timeoutMs: 120_000,
      intervalMs: 500,
    })
    t.pass(`${name} is ready`)
  }
  const publisher = await openPublisher({ NATS_URL: servers.natsUrl })
  t.teardown(() => publisher.close())
  const messages = await readFixtureMessages()
  await publisher.publishAll(
    (async function* () {
      yield* messages
    })(),
  )
  const { stored } = await readExpectedAnswers()
  const api = await addressOf('api')
  await waitFor(
    async () =>
      ((await (await fetch(`http://${api}:3002/v1/events/count`)).json()) as { count: number }).count ===
      stored,
    {
      what: `${stored} stored events`,
      timeoutMs: 60_000,
    },
  )
})
