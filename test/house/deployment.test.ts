// What is quickly known of docker-compose.yml, the Dockerfile and the edge: schemas and lint, and that they agree with
// each other and the services. `npm run test:containers` runs them. All read the same few files, so it is one file of more than
// 300 lines.
import { execFileSync } from 'node:child_process'
import { BUS_USERS, renderBusUsers } from '@payment-tracking/bus'
import { BASE_URL_PATHS, DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { findServerProgram, readServiceSchema, SERVICES } from '@payment-tracking/stack'
import { SERVICES_WITH_ROLES } from '@payment-tracking/store/core'
import { validate } from 'dockerfile-utils'
import { parse, stringify } from 'yaml'
import t from 'tap'
import { git, holdDocument, isThere, read, ROOT } from '../repository.js'

const dockerfile = read('infra/docker/Dockerfile')
const compose = parse(read('docker-compose.yml'), { merge: true })
interface ComposeService {
  networks?: string[]
  ports?: string[]
  restart?: string
  healthcheck?: object
  deploy?: { resources?: { limits?: { memory?: string } } }
}
const OURS = [...SERVICES, 'migrate']
/** `webhook-worker` in the name of a variable. */
const variableOf = (service: string) => service.replaceAll('-', '_').toUpperCase()

t.test('the compose files fit their schema and the linter finds nothing', async t => {
  const args = ['node_modules/dclint/bin/dclint.cjs', '--max-warnings', '0', '-c', '.dclintrc.yaml']
  for (const file of [
    'docker-compose.yml',
    'infra/docker/archive.yml',
    'infra/docker/archive-s3.yml',
    'infra/docker/secrets.yml',
  ])
    t.doesNotThrow(() => execFileSync(process.execPath, [...args, file], { cwd: ROOT }), file)
})

t.test('every way to the base URL sends the same paths to the same service', async t => {
  const wanted = Object.entries(BASE_URL_PATHS).flatMap(([service, paths]) =>
    paths.map(path => `use_backend ${service} if { path ${path} } || { path_beg ${path}/ }`),
  )
  for (const file of ['infra/docker/haproxy.cfg', 'infra/loadbalancer/haproxy.cfg'])
    t.same(
      [...read(file).matchAll(/use_backend .*/g)].map(([line]) => line),
      [...wanted, 'use_backend api if { path -m found }'],
      file,
    )
  const { rules } = parse(read('infra/kubernetes/components/gateway-api/routes.yaml')).spec as {
    rules: { matches: { path: { value: string } }[]; backendRefs: { name: string }[] }[]
  }
  const routed = rules.flatMap(({ matches, backendRefs }) =>
    matches.map(({ path }) => [backendRefs[0]!.name, path.value]),
  )
  for (const [service, paths] of Object.entries(BASE_URL_PATHS))
    t.same(
      routed.filter(([name]) => name === service).map(([, path]) => path),
      paths,
      service,
    )
  t.same(routed.at(-1), ['api', '/'])
})

t.test('no way to the base URL cuts a request that waits, or a stream', async t => {
  /** A feed waits for 25 s, between works of 10 s each; a socket is silent for 45 s before its pod closes it. */
  const longestSilence = 45
  for (const file of ['infra/docker/haproxy.cfg', 'infra/loadbalancer/haproxy.cfg'])
    for (const side of ['client', 'server', 'tunnel']) {
      const seconds = [...read(file).matchAll(new RegExp(`^ +timeout ${side} (\\d+)s$`, 'gm'))]
      const isLonger = seconds.length > 0 && seconds.every(([, each]) => Number(each) > longestSilence)
      t.ok(isLonger, `${file}: ${side}`)
    }
  const { rules } = parse(read('infra/kubernetes/components/gateway-api/routes.yaml')).spec
  for (const { matches, timeouts } of rules)
    t.strictSame(timeouts, { request: '0s' }, JSON.stringify(matches))
})

t.test('an archive is off by default, and where it is on, its directory is mounted', async t => {
  t.match(compose.services.ingest.environment, { EVENTS_RETENTION_MONTHS: '${EVENTS_RETENTION_MONTHS:-0}' })
  const { services } = parse(read('infra/docker/archive.yml'), { merge: true })
  t.strictSame(Object.keys(services), ['ingest', 'migrate'])
  for (const { environment, volumes } of Object.values<typeof compose>(services))
    t.match(volumes[0], new RegExp(`:${environment.EVENTS_ARCHIVE}$`))
  const component = 'infra/kubernetes/components/archive'
  t.match(parse(read(`${component}/kustomization.yaml`)).configMapGenerator, [
    { name: 'ingest', literals: [/^EVENTS_ARCHIVE=\/archive$/] },
  ])
  const [claim, ingest] = ['claim', 'ingest'].map(name => parse(read(`${component}/${name}.yaml`)))
  const { containers, volumes } = ingest.spec.template.spec
  t.match(containers[0].volumeMounts, [{ name: volumes[0].name, mountPath: '/archive' }])
  t.equal(volumes[0].persistentVolumeClaim.claimName, claim.metadata.name)
  t.notMatch(parse(read('infra/kubernetes/overlays/large/kustomization.yaml')).components, [/archive/])
})

t.test('an archive in S3 is reached from outside of the internal networks', t => {
  const { services } = parse(read('infra/docker/archive-s3.yml'))
  t.strictSame(services, {
    ingest: { networks: ['data', 'outside'] },
    migrate: { networks: ['data', 'outside'] },
  })
  const [policy, ingest] = ['network-policy', 'ingest'].map(name =>
    parse(read(`infra/kubernetes/components/archive-s3/${name}.yaml`)),
  )
  t.match(policy.spec, {
    podSelector: { matchLabels: { 'app.kubernetes.io/name': ingest.metadata.name } },
    egress: [{ to: [{ ipBlock: {} }], ports: [{ port: 443 }] }],
  })
  const foundNames = ingest.spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name)
  t.strictSame(foundNames, ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
  t.end()
})

t.test('the Dockerfile parses and the linter finds nothing', async t => {
  t.same(validate(dockerfile), [])
})

t.test('every service has a target, and every target runs node as somebody who is not root', async t => {
  for (const name of OURS) {
    const stage = new RegExp(
      `^FROM (serving|production) AS ${name}$[\\s\\S]*?(?=^FROM|$(?![\\s\\S]))`,
      'm',
    ).exec(dockerfile)
    if (!stage) {
      t.fail(`there is no target ${name}`)
      continue
    }
    const entry = /^CMD \["(.+)"\]$/m.exec(stage[0])?.[1]
    t.equal(entry, name === 'migrate' ? 'packages/store/dist/migrate.js' : `services/${name}/dist/service.js`)
    t.notMatch(stage[0], /^USER/m, `${name} keeps the user of its base`)
    t.match(compose.services[name], { build: { target: name, dockerfile: 'infra/docker/Dockerfile' } })
  }
  t.match(dockerfile, /^FROM scratch AS production$[^]*?^USER 1000:1000$/m)
  t.match(dockerfile, /^ENTRYPOINT \["node", "--enable-source-maps"\]$/m)
  t.match(dockerfile, /^FROM production AS serving$[^]*?^HEALTHCHECK [^]*?\/readyz/m)
})

t.test('the files that are mounted exist', async t => {
  for (const [, file] of read('docker-compose.yml').matchAll(/ - \.\/(.+?):/g)) t.ok(isThere(file!), file!)
})

t.test('each service is given every variable it requires, and none it does not know', async t => {
  const known = ['HOST', 'MANAGEMENT_HOST', 'MANAGEMENT_PORT']
  for (const name of SERVICES) {
    const schema = await readServiceSchema(name)
    if (!schema) {
      t.comment(`${name} has no config.ts yet`)
      continue
    }
    const given = Object.keys(compose.services[name].environment)
    const { required = [] } = schema as { required?: readonly string[] }
    for (const variable of required) {
      if ((schema.properties[variable] as { default?: unknown }).default === undefined) {
        t.ok(given.includes(variable), `${name} is given ${variable}`)
      }
    }
    for (const variable of given) {
      const isKnown = [...known, ...FOR_MANY, ...OF_S3].includes(variable) || variable in schema.properties
      t.ok(isKnown, `${name} knows ${variable}`)
    }
  }
  const ofEdge = Object.keys(compose.services.edge.environment)
  for (const [, variable] of read('infra/docker/haproxy.cfg').matchAll(/"\$\{?([A-Z_]+)/g))
    t.ok(ofEdge.includes(variable!), `the edge is given ${variable}`)
})

/** Standard names that belong to EVENTS_ARCHIVE and are no settings of their own. */
const OF_S3 = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION', 'AWS_ENDPOINT_URL']

t.test('NATS takes any password of letters and digits', async t => {
  const { file } = await findServerProgram('nats')
  const given = Object.entries<string>(compose.services.nats.environment)
  for (const password of ['4e3b12', '123', '12e5', '5k', '9abc', 'true', 'abc']) {
    const env = Object.fromEntries(given.map(([name, value]) => [name, value.replace(/\$\{.*\}/, password)]))
    t.doesNotThrow(
      () => execFileSync(file, ['-t', '-c', 'infra/docker/nats.conf'], { cwd: ROOT, env, stdio: 'pipe' }),
      password,
    )
  }
})

t.test('NATS knows the users of packages/bus, and what each may say and hear', async t => {
  const file = 'infra/docker/nats.conf'
  const names = { stream: DEFAULT_STREAM, prefixes: [DEFAULT_SUBJECT_PREFIX] }
  const users = renderBusUsers(names, user => `$NATS_${user.toUpperCase()}_PASSWORD`)
  const text = read(file).replace(/(?<=users: \[\n)[^]*(?=^\] \}$)/m, `${users}\n`)
  holdDocument(t, file, text)
  for (const user of BUS_USERS)
    if (user !== 'publisher')
      t.match(
        compose.services[user].environment.NATS_URL,
        `nats://${user}:\${NATS_${user.toUpperCase()}_PASSWORD`,
      )
})

/** Given to many by one anchor; a service may have no use for one of them. None holds a password. */
const FOR_MANY = ['PROGRAM_ID', 'STREAM_NAME', 'SUBJECT_PREFIX']

t.test('no password stands in the files: each is a variable that must be set', async t => {
  const text = read('docker-compose.yml')
  for (const name of [
    'POSTGRES_SUPERUSER_PASSWORD',
    'POSTGRES_OWNER_PASSWORD',
    ...SERVICES_WITH_ROLES.map(service => `POSTGRES_${variableOf(service)}_PASSWORD`),
    'REDIS_PASSWORD',
    ...BUS_USERS.map(user => `NATS_${variableOf(user)}_PASSWORD`),
    'OPS_TOKEN',
    'JWT_PRIVATE_KEYS',
  ]) {
    const uses = [...text.matchAll(new RegExp(`\\$\\{${name}([^}]*)\\}`, 'g'))].map(match => match[1])
    t.ok(uses.length > 0, name)
    // What may be a file may be empty: its service starts with neither.
    for (const use of uses) t.match(use, /^:?\?/, `${name} has no default`)
    for (const environment of ['production', 'devnet']) {
      t.match(read(`infra/docker/${environment}.env.example`), new RegExp(`^${name}=$`, 'm'))
    }
  }
})

t.test('a secret is given to those who use it, the password of the superuser to Postgres alone', async t => {
  const { services } = compose as { services: Record<string, { environment?: Record<string, string> }> }
  const given = (secret: string) =>
    Object.entries(services)
      .filter(([, { environment = {} }]) => Object.values(environment).some(value => value.includes(secret)))
      .map(([name]) => name)
      .sort()
  t.same(given('POSTGRES_SUPERUSER_PASSWORD'), ['postgres'])
  t.same(given('{POSTGRES_OWNER_PASSWORD'), ['migrate', 'postgres'], 'whoever migrates')
  for (const service of SERVICES_WITH_ROLES)
    t.same(given(`{POSTGRES_${variableOf(service)}_PASSWORD`), ['postgres', service].sort(), service)
  for (const user of BUS_USERS)
    t.same(
      given(`{NATS_${variableOf(user)}_PASSWORD`),
      user === 'publisher' ? ['nats'] : ['nats', user].sort(),
      user,
    )
  t.equal(services.postgres!.environment!.POSTGRES_USER, 'postgres', 'the owner is another')
  const script = read('infra/postgres/make-roles.sh')
  for (const right of ['superuser', 'createdb', 'createrole', 'replication', 'bypassrls'])
    t.match(script, new RegExp(`create role \\$1 .*\\bno${right}\\b`))
  t.same(
    [...script.matchAll(/^make_role "\$\{owner\}_(\w+)"/gm)].map(([, role]) => role),
    SERVICES_WITH_ROLES.map(service => service.replace('-', '_')),
  )
  for (const name of SERVICES) {
    const file = name === 'indexer' ? 'components/indexer/indexer' : `base/${name}`
    const [deployment] = read(`infra/kubernetes/${file}.yaml`).split('\n---\n')
    const secrets = [...deployment!.matchAll(/secretName: (.+)$/gm)].map(([, secret]) => secret)
    t.same(secrets, name === 'console' ? [] : [`payment-tracking-${name}`], `${name} has its own secret`)
    const isMounted = /NATS_URL_FILE\n +value: \/run\/secrets\/own\/NATS_URL$/m.test(deployment!)
    t.equal(isMounted, (BUS_USERS as readonly string[]).includes(name), `${name} and NATS_URL`)
  }
})

t.test('with secrets.yml every secret of a service is a file of its own', async t => {
  const files = parse(read('infra/docker/secrets.yml')).services as Record<
    string,
    { environment: Record<string, string>; volumes: string[] }
  >
  const isSecret = (value: string) =>
    /PASSWORD|\$\{(JWT_PRIVATE_KEYS\?|OPS_TOKEN\?|SOLANA_RPC_URLS)/.test(value)
  for (const name of OURS) {
    const given = compose.services[name].environment as Record<string, string>
    const secrets = Object.keys(given).filter(key => isSecret(given[key]!))
    const { environment = {}, volumes = [] } = files[name] ?? {}
    for (const secret of secrets) {
      t.match(environment, { [secret]: '', [`${secret}_FILE`]: `/run/secrets/${secret}` }, name)
      t.ok(volumes.some(volume => volume.endsWith(`/${secret}:/run/secrets/${secret}:ro`)))
    }
    t.equal(volumes.length, secrets.length, `${name} sees no other file`)
  }
})

t.test('every rule of a network policy names whom it lets in, or where it leads', async t => {
  interface Policy {
    kind: string
    metadata: { name: string }
    spec: { ingress?: { from?: object[] }[]; egress?: { to?: object[]; ports?: object[] }[] }
  }
  const policies = git('ls-files', 'infra/kubernetes/*.yaml')
    .flatMap(file => read(file).split(/^---$/m))
    .map(text => parse(text) as Policy | null)
    .filter(object => object?.kind === 'NetworkPolicy')
  t.ok(policies.length >= 7)
  for (const policy of policies) {
    const { ingress = [], egress = [] } = policy!.spec
    for (const { from } of ingress) t.ok(from?.length, policy!.metadata.name)
    for (const { to, ports } of egress) t.ok(to?.length && ports?.length, policy!.metadata.name)
  }
})

t.test('an action of a workflow is pinned by its digest', async t => {
  const used = ['gate', 'release'].flatMap(name => [
    ...read(`.github/workflows/${name}.yml`).matchAll(/uses: (\S+)(.*)/g),
  ])
  t.ok(used.length >= 4)
  for (const [, action, version] of used)
    if (!action!.startsWith('./')) {
      t.match(action, /@[\da-f]{40}$/)
      t.match(version, /^ # v\d+\.\d+\.\d+$/, 'and says which version that is')
    }
})

t.test('the public sees only the edge; servers and management ports have no way in', async t => {
  for (const [name, service] of Object.entries<ComposeService>(compose.services)) {
    for (const port of service.ports ?? []) {
      if (name === 'edge') continue
      t.match(port, /^127\.0\.0\.1:/, `${name} publishes on loopback only`)
      t.notMatch(port, /9100/, `${name} keeps its management port inside`)
    }
    if (['postgres', 'redis'].includes(name)) t.same(service.networks, ['data'])
  }
  t.equal(compose.networks.data.internal, true)
})

t.test('everything that lasts has a health check, a restart policy and a memory limit', async t => {
  for (const [name, service] of Object.entries<ComposeService>(compose.services)) {
    t.ok(service.restart, `${name} is started again`)
    if (['migrate', 'nats-folder'].includes(name)) continue
    const hasCheck = service.healthcheck ?? SERVICES.includes(name as never)
    t.ok(hasCheck, `${name} has a health check, its own or its image's`)
    t.ok(service.deploy?.resources?.limits?.memory, `${name} has a memory limit`)
  }
})

t.test('the two environments share nothing that tells them apart', async t => {
  const settings = (name: string) =>
    Object.fromEntries(
      [...read(`infra/docker/${name}.env.example`).matchAll(/^([A-Z_]+)=(.*)$/gm)].map(match => [
        match[1],
        match[2],
      ]),
    )
  const [production, devnet] = [settings('production'), settings('devnet')]
  for (const name of ['ENVIRONMENT', 'PORT', 'OPS_PORT', 'NATS_PORT'])
    t.not(production[name], devnet[name], name)
  t.ok(devnet.STREAM_NAME && devnet.SUBJECT_PREFIX)
})

t.test('the memory of servers and services fits their limits', async t => {
  const megabytes = (text: string) => parseInt(text) * (/g/i.test(text) ? 1_024 : 1)
  const limitOf = (name: string) => megabytes(compose.services[name].deploy.resources.limits.memory)
  const [, redis] = /--maxmemory (\S+)/.exec(JSON.stringify(compose.services.redis.command))!
  t.ok(megabytes(redis!) <= 0.7 * limitOf('redis'), 'Redis refuses writes before the kernel ends it')
  const [, shared] = /shared_buffers=(\S+?)"/.exec(JSON.stringify(compose.services.postgres.command))!
  t.ok(megabytes(shared!) <= 0.4 * limitOf('postgres'), 'shared_buffers')
  t.ok(limitOf('api') >= 1.5 * 458, 'the api has half as much again as its bench took')
})

t.test('a container has more time to stop than its process takes', async t => {
  const seconds = (text: string) => Number(/(\d+)s\}?$/.exec(text)![1])
  for (const name of SERVICES) {
    const { stop_grace_period: grace, environment } = compose.services[name]
    const deadlineMs = Number(/:-(\d+)\}$/.exec(environment.STOP_DEADLINE_MS)![1])
    // An exit waits for open questions to a name server: attempts:5 for the name, and for it in a search domain.
    t.ok(seconds(grace) * 1_000 >= deadlineMs + 15_000, `${name}: ${grace} for ${deadlineMs} ms`)
  }
  t.match(compose.services.realtime.environment.STOP_DEADLINE_MS, /40000/, 'sockets leave over 30 seconds')
})

t.test('the alerts and the dashboard of Kubernetes are those of infra/observability', async t => {
  // Kustomize reads no file outside of its own folder.
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'payment-tracking' },
    spec: parse(read('infra/observability/alerts.yml')) as unknown,
  }
  const source = '# Made from infra/observability/alerts.yml by test/house/deployment.test.ts.'
  for (const [name, text] of [
    ['rules.yaml', `${source}\n${stringify(rule, { lineWidth: 0 })}`],
    ['dashboard.json', read('infra/observability/grafana/payment-tracking.json')],
  ] as const)
    holdDocument(t, `infra/kubernetes/components/prometheus-rule/${name}`, text)
})

t.test('every image of a server is a setting with a whole version, to be pinned by digest', async t => {
  for (const [name, { image }] of Object.entries<{ image: string }>(compose.services))
    if (!OURS.includes(name)) t.match(image, /^\$\{[A-Z]+_IMAGE:-[\w/]+:v?\d+\.\d+[.\w-]+\}$/, name)
  t.match(dockerfile, /^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m)
})

t.test('every package with a program for x64 has one for arm64', async t => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> }
  const native = Object.keys(packages).filter(name => /linux.*x64(?!-musl)/.test(name))
  t.ok(native.length > 0)
  for (const name of native) t.ok(packages[name.replace('x64', 'arm64')], name)
})

t.test('both ways to upgrade migrate first, and replace every service', async t => {
  const script = read('infra/docker/upgrade.sh')
  const [, replaced] = /^for service in (.+); do$/m.exec(script)!
  // ops has a port of the machine: its container is replaced in place.
  t.match(script, /up .* ops$/m)
  t.same([...replaced!.split(' '), 'ops'].sort(), [...SERVICES].sort())
  for (const name of replaced!.split(' ')) t.notOk(compose.services[name].ports, `${name} has no such port`)
  for (const [file, migration, rest] of [
    ['infra/docker/upgrade.sh', 'run --no-deps --name "$job" migrate', 'for service in'],
    ['infra/kubernetes/upgrade.sh', 'apply -k "$overlay/migration"', 'apply -k "$overlay"\n'],
  ] as const)
    t.ok(read(file).indexOf(migration) < read(file).indexOf(rest), file)
})
