// The one-way dependencies of docs/architecture.md, and the names that say nothing: both hold by test.
import { basename, dirname, join } from 'node:path'
import t from 'tap'
import { drawTable, replaceTables } from '../documents/table.js'
import { files, holdDocument, read } from '../repository.js'

const SCOPE = '@payment-tracking/'
const ADAPTERS = ['store', 'bus', 'queue', 'redis']

const OF_ADAPTERS = ['domain', 'contracts', 'runtime']
const OF_SERVICES = [...ADAPTERS, ...OF_ADAPTERS]

/** What lives in each folder, and what it may import of ours; a service may import every adapter. */
const FOLDERS: Record<string, [lives: string, mayImport: readonly string[]]> = {
  'services/ingest': ['chain events in: check, store, announce', OF_SERVICES],
  'services/api': ['REST, the management of webhooks, the stream of all events', OF_SERVICES],
  'services/realtime': ['payments out to sockets', OF_SERVICES],
  'services/webhook-worker': ["deliveries out to gateways' endpoints", OF_SERVICES],
  'services/ops': ["the operators' dashboard", OF_SERVICES],
  'services/console': [
    'the pages for people; they import `client` and one file of `contracts`',
    ['client', 'contracts', 'runtime'],
  ],
  'services/indexer': [
    'follows the chain, publishes its events',
    ['bus', 'chain', 'domain', 'contracts', 'runtime'],
  ],
  'packages/store': ['an adapter: the only home of Prisma and SQL', OF_ADAPTERS],
  'packages/bus': ['an adapter: the only home of NATS', OF_ADAPTERS],
  'packages/queue': ['an adapter: the only home of BullMQ', OF_ADAPTERS],
  'packages/redis': ['an adapter: fan-out, seats, nonces, counts in Redis', OF_ADAPTERS],
  'packages/domain': ['pure rules: no I/O, no clock, no randomness', ['contracts']],
  'packages/chain': ["pure decoding of the program's transactions", ['domain', 'contracts']],
  'packages/contracts': ['every shape that crosses a process', []],
  'packages/runtime': ['config, logger, life cycle, health, metrics', []],
  'packages/client': ['the published client, packed with the messages of `contracts`', ['contracts']],
  'packages/python-client': ['the client for Python, its types generated from the OpenAPI document', []],
  'packages/simulator': [
    'a chain in a virtual machine and nodes with faults, for tests',
    ['chain', 'domain', 'contracts'],
  ],
  'infra/stack': [
    '`npm start`: private servers, services, the edge, the commands',
    ['runtime', 'store', 'bus', 'domain', 'contracts'],
  ],
  'infra/dev-kit': ['packs the commands for other projects; an MCP server', ['client', 'contracts']],
  'infra/testkit': [
    'real servers, factories, a webhook receiver, for tests',
    ['stack', ...ADAPTERS, 'domain', 'contracts', 'runtime', 'client'],
  ],
}
const mayImport = (folder: string, name: string): boolean => FOLDERS[folder]![1].includes(name)

/** Each outside library has one home; nobody else imports it. */
const HOMES: Record<string, readonly string[]> = {
  nats: ['packages/bus', 'infra/testkit'],
  bullmq: ['packages/queue'],
  ioredis: ['packages/runtime', 'packages/redis', 'packages/queue', 'infra/testkit'],
  '@solana/kit': ['packages/chain', 'packages/simulator', 'services/indexer'],
  litesvm: ['packages/simulator'],
  '@socket.io/redis-emitter': ['packages/redis'],
}

/** The houses below infra/stack/src: what others use of one stands in its index.ts. */
const STACK_HOUSES = ['servers', 'launcher', 'commands/demo', 'commands/dev-kit', 'chain']

/** What opens a connection to Postgres. */
const POSTGRES = /^(pg|@prisma\/(client|adapter-pg)(\/.*)?)$|\/generated\/(?!api-types\.js$)/
/** The only files that may import it: the store's door, the tests' own look into a database, the bench of bare pg. */
const POSTGRES_DOOR =
  /^packages\/store\/(src\/(core\/database|generated)\/|scripts\/|test\/upgrade-guards\.test\.ts$)|^infra\/testkit\/src\/create-database\.ts$|^test\/bench\/bare-api\.mjs$/

/** The doors of the store: what each room may import of the others, and who may open the door. */
const DOORS: Record<string, { imports: readonly string[]; opened: readonly string[] }> = {
  core: {
    imports: [],
    opened: ['ingest', 'api', 'realtime', 'webhook-worker', 'ops', 'stack', 'testkit'],
  },
  ingest: { imports: ['core', 'messages'], opened: ['ingest', 'testkit'] },
  messages: { imports: ['core'], opened: ['ingest', 'webhook-worker'] },
  deliveries: { imports: ['core', 'messages'], opened: ['webhook-worker', 'api', 'ops'] },
  reads: { imports: ['core'], opened: ['api', 'realtime', 'ops'] },
  admin: { imports: ['core'], opened: ['api', 'ops', 'stack'] },
}

/** What a pure package may not touch: I/O, the clock, chance. */
const IMPURE = /\b(Date\.now|new Date\(\)|Math\.random|process\.env|setTimeout|setInterval|fetch\()/
const PURE_BUILTINS = ['node:crypto', 'node:util', 'node:buffer']

const BANNED_NAMES = ['utils', 'util', 'common', 'shared', 'helpers', 'helper', 'lib', 'misc']

const packageOf = (file: string) => file.split('/').slice(0, 2).join('/')

/** What a source file imports, by name; comments and strings elsewhere do not count. */
const importsOf = (text: string): string[] =>
  [
    ...text.matchAll(
      /^(?:import|export)\b[^'"]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm,
    ),
  ].map(match => (match[1] ?? match[2] ?? match[3])!)

const sources = files.filter(file => /^(packages|services|infra)\/[^/]+\/src\/.*\.tsx?$/.test(file))
const packages = files.filter(file => /^(packages|services|infra)\/[^/]+\/package\.json$/.test(file))

t.test('every package is known to this test', async t => {
  t.same(packages.map(dirname).sort(), Object.keys(FOLDERS).sort())
})

t.test('no package and no service may import what lies above it, in infra', async t => {
  const isAbove = (folder: string) => folder.startsWith('infra/')
  const above = Object.keys(FOLDERS).filter(isAbove)
  for (const folder of Object.keys(FOLDERS).filter(each => !isAbove(each)))
    for (const name of above) t.notOk(mayImport(folder, basename(name)), `${folder} and ${name}`)
})

t.test('the table of docs/architecture.md says what this test says', async t => {
  const code = (name: string) => `\`${name}\``
  const rows = Object.entries(FOLDERS).map(([folder, [lives, allowed]]) => {
    const adapters = allowed.filter(name => ADAPTERS.includes(name))
    const named = adapters.length === ADAPTERS.length ? ['every adapter'] : adapters.map(code)
    named.push(...allowed.filter(name => !ADAPTERS.includes(name)).map(code))
    return [code(folder), lives, named.join(', ') || 'nothing of ours']
  })
  const table = drawTable([['folder', 'what lives there', 'may import'], ...rows])
  holdDocument(t, 'docs/architecture.md', replaceTables(read('docs/architecture.md'), [table]))
})

t.test('every README names the folders beside it', async t => {
  const folders = new Set(sources.filter(file => file.split('/').length > 4).map(file => dirname(file)))
  for (const path of folders) {
    const [kind, name, , folder] = path.split('/')
    const readme = `${kind}/${name}/README.md`
    t.ok(new RegExp(`\`(src/)?${folder}/`).test(read(readme)), `${readme} names ${folder}`)
  }
})

t.test('each house of infra/stack is entered by its door', async t => {
  const houseOf = (path: string) => STACK_HOUSES.find(house => path.startsWith(`infra/stack/src/${house}/`))
  const inside = sources.filter(file => file.startsWith('infra/stack/'))
  for (const house of STACK_HOUSES)
    t.ok(inside.includes(`infra/stack/src/${house}/index.ts`), `${house} has a door`)
  for (const file of inside) {
    for (const name of importsOf(read(file))) {
      const path = join(dirname(file), name)
      const house = name.startsWith('.') ? houseOf(path) : undefined
      if (house === undefined || house === houseOf(file)) continue
      if (path !== `infra/stack/src/${house}/index.js`) t.fail(`${file} imports ${name} past the door`)
    }
  }
})

t.test('the store is entered by its doors, and no room reaches into one above it', async t => {
  const STORE = 'packages/store/src/'
  const roomOf = (path: string) => path.slice(STORE.length).split('/')[0]!
  let entered = 0
  for (const file of sources)
    for (const name of importsOf(read(file))) {
      if (name.startsWith('@payment-tracking/store')) {
        const door = name.slice('@payment-tracking/store/'.length)
        entered += 1
        if (!DOORS[door]?.opened.includes(basename(packageOf(file)))) t.fail(`${file} may not open ${name}`)
      }
      const path = join(dirname(file), name)
      if (!file.startsWith(STORE) || !name.startsWith('.') || !path.startsWith(STORE)) continue
      const [own, other] = [roomOf(file), roomOf(path)]
      if (own === other || !(own in DOORS) || !(other in DOORS)) continue
      if (!DOORS[own]!.imports.includes(other)) t.fail(`${file} reaches into ${other}: ${name}`)
    }
  t.ok(entered > 50, 'the doors are used')
})

t.test('no source file imports against the arrow', async t => {
  t.ok(sources.length > 50, 'the sources were found')
  for (const file of sources) {
    const folder = packageOf(file)
    const text = read(file)
    for (const name of importsOf(text)) {
      if (name.startsWith(SCOPE)) {
        const target = name.slice(SCOPE.length).split('/')[0]!
        if (!mayImport(folder, target)) t.fail(`${file} imports ${name}`)
      }
      if (name.startsWith('.') && !join(dirname(file), name).startsWith(`${folder}/`)) {
        t.fail(`${file} reaches into another package: ${name}`)
      }
      const home = HOMES[name]
      if (home && !home.includes(folder)) t.fail(`${file} imports ${name}, whose home is ${home.join(', ')}`)
    }
  }
})

t.test('one place opens connections to Redis', t => {
  const home = /^(packages\/runtime\/src\/servers|infra\/testkit\/src)\//
  const opening = sources.filter(file => /new (Redis|Cluster)\(/.test(read(file)))
  const openers = opening.filter(file => !home.test(file))
  t.same(openers, [])
  t.ok(opening.some(file => file.startsWith('packages/runtime/')))
  t.end()
})

t.test('one place says the type of a list of integers in SQL', t => {
  const casting = sources.filter(file => !file.startsWith('infra/') && read(file).includes('::bigint[]'))
  t.same(casting, ['packages/store/src/core/database/sql.ts'], '`bigints` of sql.ts writes it')
  t.end()
})

t.test('the pages of the console import the client, how text is shown, and nothing else of ours', async t => {
  const pages = sources.filter(file => file.startsWith('services/console/src/site/'))
  const ALLOWED = [`${SCOPE}client`, `${SCOPE}contracts/visible-text`]
  t.ok(pages.length > 20, 'the pages were found')
  for (const file of pages)
    for (const name of importsOf(read(file)).filter(each => each.startsWith(SCOPE) || each.startsWith('.')))
      if (
        name.startsWith(SCOPE) ? !ALLOWED.includes(name) : !join(dirname(file), name).includes('/src/site/')
      )
        t.fail(`${file} imports ${name}`)
})

t.test("only the store's door imports pg and Prisma's client", async t => {
  const importers = files
    .filter(file => /\.(ts|mjs|js)$/.test(file))
    .filter(file => importsOf(read(file)).some(name => POSTGRES.test(name)))
  t.ok(importers.length >= 5, 'the door was found')
  for (const file of importers) if (!POSTGRES_DOOR.test(file)) t.fail(`${file} opens Postgres itself`)
})

// That they name all that is imported: unused.test.ts.
t.test('package.json files name nothing against the arrow', async t => {
  for (const file of packages) {
    const folder = dirname(file)
    const { dependencies = {} } = JSON.parse(read(file)) as Record<string, Record<string, string> | undefined>
    for (const name of Object.keys(dependencies)) {
      if (!name.startsWith(SCOPE)) continue
      const target = name.slice(SCOPE.length)
      t.ok(mayImport(folder, target), `${folder} may depend on ${target}`)
    }
  }
})

const known = new Set(sources)
const sourceAt = (path: string): string => (known.has(`${path}.tsx`) ? `${path}.tsx` : `${path}.ts`)

/** Every file below a folder of sources with the files it imports from there; imports of types count. */
const importGraph = new Map(
  sources.map(file => {
    const own = importsOf(read(file)).filter(name => name.startsWith('.'))
    return [file, own.map(name => sourceAt(join(dirname(file), name).replace(/\.js$/, '')))]
  }),
)

/** @returns the first circle of a graph as the nodes on it, or undefined */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle) return circle
  }
  return undefined
}

t.test('no folders inside a package or service import each other in a circle', t => {
  // A file directly in src/ stands for itself: an entry file may import what a folder of its neighbours imports.
  const nodeOf = (file: string) => {
    const [kind, name, src, first] = file.split('/')
    return [kind, name, src, first].join('/')
  }
  const folders = new Map<string, string[]>()
  for (const [file, imported] of importGraph) {
    const from = nodeOf(file)
    const others = imported.map(nodeOf).filter(to => to !== from)
    folders.set(from, [...(folders.get(from) ?? []), ...others])
  }
  t.equal(findCircle(folders)?.join(' → '), undefined)
  t.end()
})

t.test('only tests import the testkit', async t => {
  for (const file of files.filter(name => /\.(ts|mjs|js)$/.test(name))) {
    if (/(^|\/)test\//.test(file) || file.startsWith('infra/testkit/') || file === 'scripts/test.mjs')
      continue
    if (importsOf(read(file)).some(name => name === `${SCOPE}testkit`)) t.fail(`${file} imports the testkit`)
  }
})

t.test('the domain and the chain have no I/O, no clock and no chance', async t => {
  for (const file of sources.filter(name => /^packages\/(domain|chain)\//.test(name))) {
    const text = read(file)
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    t.notMatch(code, IMPURE, `${file} is pure`)
    // Of node:net only the address parser is pure.
    const impure = importsOf(
      text.replace(
        /^import \{ (isIP|BlockList)(, (isIP|isIPv4|isIPv6|BlockList))* \} from 'node:net'$/gm,
        '',
      ),
    )
    for (const name of impure.filter(each => each.startsWith('node:'))) {
      t.ok(PURE_BUILTINS.includes(name), `${file} imports ${name}`)
    }
  }
})

t.test('no file or folder has a meaningless name', async t => {
  for (const file of files) {
    const parts = [...dirname(file).split('/'), basename(file).replace(/\..*$/, '')]
    const banned = parts.find(part => BANNED_NAMES.includes(part))
    if (banned) t.fail(`${file}: "${banned}" says nothing`)
  }
})
