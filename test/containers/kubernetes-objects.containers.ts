// infra/kubernetes without a cluster: every object against the schemas of Kubernetes, the names that objects use for each
// other, and settings against the schemas of the services. What only a cluster can show is listed in
// infra/kubernetes/README.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readServiceSchema, SERVICES } from '@payment-tracking/stack'
import { MigrateConfig } from '@payment-tracking/store/core'
import t from 'tap'
import { parse } from 'yaml'
import { ROOT } from './machine.js'
import { base, build, migration, of, OVERLAYS, podOf, settingsOf } from './read-manifests.js'
import { validateObject } from './validate-object.js'

/** The overlay `large` with the components of the archive. */
const WITH_ARCHIVE = '../../test/containers/with-archive'

for (const folder of [
  'base',
  'migration',
  'components/indexer',
  WITH_ARCHIVE,
  ...OVERLAYS.flatMap(name => [`overlays/${name}`, `overlays/${name}/migration`]),
])
  t.test(`${folder}: every object is what its schema says`, async t => {
    for (const object of await build(folder)) {
      const fault = await validateObject(object)
      t.equal(fault, undefined, `${object.kind} ${object.metadata.name}`)
    }
  })

t.test('each service has a Deployment, and the migration a Job', async t => {
  const deployments = [...of('Deployment'), ...of('Deployment', await build('components/indexer'))]
  t.strictSame(deployments.map(({ metadata }) => metadata.name).sort(), [...SERVICES].sort())
  t.equal(of('Job', migration).length, 1)
})

for (const overlay of [
  'base',
  'components/indexer',
  WITH_ARCHIVE,
  ...OVERLAYS.map(name => `overlays/${name}`),
])
  t.test(`${overlay}: a service is given every setting it requires, and none it does not know`, async t => {
    const objects = await build(overlay)
    for (const deployment of of('Deployment', objects)) {
      const { name } = deployment.metadata
      const { properties, required = [] } = (await readServiceSchema(name)) as {
        properties: Record<string, { default?: unknown; secret?: boolean; serverUrl?: boolean }>
        required?: string[]
      }
      const given = Object.keys(settingsOf(podOf(deployment), objects))
      // The names that all clients of S3 share are no settings of ours.
      for (const variable of given.filter(variable => !variable.startsWith('AWS_'))) {
        const setting = properties[variable] ?? properties[variable.replace(/_FILE$/, '')]
        t.ok(setting, `${name} knows ${variable}`)
        if (variable.endsWith('_FILE'))
          t.ok(setting?.secret ?? setting?.serverUrl, `${variable} may be a file`)
      }
      for (const variable of required)
        if (properties[variable]!.default === undefined)
          t.ok(given.includes(variable) || given.includes(`${variable}_FILE`), `${name} is given ${variable}`)
    }
  })

t.test('a pod has time to stop, and load balancers time to learn of it', async t => {
  for (const deployment of of('Deployment')) {
    const pod = podOf(deployment)
    const schema = await readServiceSchema(deployment.metadata.name)
    const settings = settingsOf(pod, base)
    const properties = schema!.properties as Record<string, { default?: number }>
    const numberOf = (name: string) => Number(settings[name] ?? properties[name]?.default ?? 0)
    const preStopSeconds = Number(pod.containers[0]!.lifecycle!.preStop.exec.command.at(-1))
    // An exit waits for open questions to a name server.
    const needed = preStopSeconds + numberOf('STOP_DEADLINE_MS') / 1_000 + 15
    t.ok(preStopSeconds >= 5, `${deployment.metadata.name} serves on while it leaves balancers`)
    t.ok(pod.terminationGracePeriodSeconds >= needed, `${deployment.metadata.name} needs ${needed} s`)
  }
})

for (const folder of ['base', 'components/indexer', 'migration', ...OVERLAYS.map(name => `overlays/${name}`)])
  t.test(`${folder}: a pod asks for a name again as soon as a container of the compose file`, async t => {
    const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: { api: { dns_opt: string[] } }
    }
    const objects = await build(folder)
    const pods = [...of('Deployment', objects), ...of('Job', objects)]
    t.ok(pods.length > 0)
    for (const pod of pods) {
      const options = (podOf(pod).dnsConfig?.options ?? []).map(({ name, value }) => `${name}:${value}`)
      for (const option of compose.services.api.dns_opt)
        t.ok(options.includes(option), `${pod.metadata.name}: ${option}`)
      t.ok(options.includes('ndots:2'), `${pod.metadata.name} asks for full names as they stand`)
    }
  })

t.test('selectors, ports, probes and names of other objects fit', async t => {
  const deployments = of('Deployment')
  const matches = (selector: Record<string, string>, labels: Record<string, string>) =>
    Object.entries(selector).every(([key, value]) => labels[key] === value)
  const selected = (selector: Record<string, string>) =>
    deployments.filter(each => matches(selector, each.spec!.template!.metadata.labels))
  for (const service of of('Service')) {
    const pods = selected(service.spec!.selector as unknown as Record<string, string>)
    t.ok(pods.length > 0, `Service ${service.metadata.name} has pods`)
    for (const pod of pods)
      for (const { targetPort } of service.spec!.ports!)
        t.ok(
          podOf(pod).containers[0]!.ports!.some(({ name }) => name === targetPort),
          `${pod.metadata.name} has the port ${targetPort}`,
        )
  }
  for (const budget of of('PodDisruptionBudget'))
    t.equal(selected(budget.spec!.selector.matchLabels).length, 1, `${budget.metadata.name}: one Deployment`)
  for (const deployment of deployments) {
    const [container] = podOf(deployment).containers
    t.ok(
      matches(deployment.spec!.selector.matchLabels, deployment.spec!.template!.metadata.labels),
      'selects its own pods',
    )
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const)
      t.ok(
        container!.ports!.some(({ name }) => name === container![probe]!.httpGet.port),
        `${probe} has a port`,
      )
    t.equal(container!.livenessProbe!.httpGet.path, '/healthz', 'a server that is away restarts nothing')
    const podSpec = podOf(deployment)
    t.match(podSpec, { securityContext: { runAsNonRoot: true }, automountServiceAccountToken: false })
    t.match(container!.securityContext, { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    const volumes = podOf(deployment).volumes!.map(({ name }) => name)
    for (const { name } of container!.volumeMounts!) t.ok(volumes.includes(name), `the volume ${name}`)
  }
  const known = new Set(Object.keys(MigrateConfig.properties))
  for (const variable of Object.keys(settingsOf(podOf(of('Job', migration)[0]!), migration)))
    t.ok(known.has(variable.replace(/_FILE$/, '')), `the migration knows ${variable}`)
})

t.test('routes, scalers and monitors name what exists', async t => {
  const objects = await build('overlays/production')
  const names = (kind: string) => of(kind, objects).map(({ metadata }) => metadata.name)
  const text = JSON.stringify(objects)
  for (const [, service] of text.matchAll(/"service":\{"name":"([^"]+)"/g))
    t.ok(names('Service').includes(service!), `the service ${service}`)
  for (const [, target] of text.matchAll(/"scaleTargetRef":\{"name":"([^"]+)"/g))
    t.ok(names('Deployment').includes(target!), `the deployment ${target}`)
  const documented = readFileSync(join(ROOT, 'docs/observability.md'), 'utf8')
  const queries = JSON.stringify(of('ScaledObject', objects)).matchAll(/\bpayment_tracking_\w+/g)
  for (const [metric] of queries) t.ok(documented.includes(metric), `the metric ${metric}`)
  t.notOk(names('ScaledObject').includes('ingest'), 'ingest is not scaled: one process writes')
  for (const route of await build('components/gateway-api').then(all =>
    JSON.stringify(all).matchAll(/"backendRefs":\[\{"name":"([^"]+)"/g),
  ))
    t.ok(names('Service').includes(route[1]!), `route to ${route[1]}`)
})
