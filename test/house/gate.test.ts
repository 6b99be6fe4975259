// The steps of the gate and of the night, and the files that each of them runs.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { files as tracked, read, ROOT } from '../repository.js'

interface Step {
  name: string
  minutes?: number
  files?: string[]
  script?: string
  args?: string[]
  env: Record<string, string>
  atNight?: boolean
  inTurn?: boolean
}
// What the run that this file is part of draws decides nothing here.
delete process.env.SEED
const load = async <T>(file: string) => (await import(`${ROOT}scripts/gate/${file}`)) as T
const { SHORT, SYSTEMS, NIGHT } = await load<Record<'SHORT' | 'SYSTEMS' | 'NIGHT', Step[]>>('steps.mjs')
const { listPropertyTests, listTestFiles, packageOf } = await load<{
  listPropertyTests: () => string[]
  listTestFiles: () => Record<'short' | 'long' | 'night', string[]>
  packageOf: (file: string) => string
}>('test-files.mjs')
const { short, long, night } = listTestFiles()
const filesOf = (steps: readonly Step[]) => steps.flatMap(({ files = [] }) => files)

t.test('every test file of the repository is run by the command of its kind', async t => {
  const all = tracked.filter(file => file.endsWith('.test.ts'))
  t.same([...short, ...long, ...night].sort(), all.sort())
  t.same(filesOf(SHORT), short)
  const inGate = filesOf(SYSTEMS.filter(({ atNight }) => !atNight))
  t.same(inGate.filter(file => !short.includes(file)).sort(), long, 'each long file once')
  const atNight = filesOf(NIGHT)
  for (const file of night) t.ok(atNight.includes(file), file)
  for (const file of [...filesOf(SYSTEMS), ...atNight]) t.ok(all.includes(file), `${file} exists`)
})

t.test('the gate draws the same each time, and the night something else', async t => {
  for (const { name, env } of [...SHORT, ...SYSTEMS]) t.match(env.SEED, /^\d{1,2}$/, name)
  for (const { name, env } of NIGHT) t.match(env.SEED, /^\d{3,}$/, name)
  const drawing = listPropertyTests()
  t.ok(drawing.includes('services/api/test/fuzz/fuzz.test.ts'))
  t.ok(drawing.includes('packages/domain/test/due-date.test.ts'), 'by way of hold.ts')
  t.same(NIGHT.find(({ name }) => name === 'properties')?.files, drawing)
  const inTurn = NIGHT.filter(step => step.inTurn).map(({ name }) => name)
  t.same(inTurn, ['bounds', 'benches', 'times'], 'files that judge times run one after the other')
})

t.test('what tests tests runs at night, and in the gate by its name alone', t => {
  const named = SYSTEMS.filter(({ atNight }) => atNight)
  const foundNames = named.map(({ name }) => name)
  t.same(foundNames, ['self-test', 'models', 'planted'])
  for (const { files = [], script, env } of named) {
    const { PLANT_BREAKS } = env
    t.ok(
      NIGHT.some(
        step =>
          step.script === script &&
          step.env.PLANT_BREAKS === PLANT_BREAKS &&
          files.every(file => step.files?.includes(file)),
      ),
    )
  }
  t.ok(NIGHT.some(({ name, args }) => name === 'self-test' && args?.length === 0))
  t.ok(NIGHT.some(({ name, args }) => name === 'containers' && args?.length === 0))
  t.end()
})

t.test('the versions of Node that documents, packages and workflows name are the same', async t => {
  for (const file of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'scripts/set-up/find-node-problem.mjs'])
    t.match(read(file), /Node(\.js)? 20\.19, 22\.12 or 24\b/, file)
  for (const file of ['package.json', 'infra/dev-kit/package.json'])
    t.match(JSON.parse(read(file)), { engines: { node: '^20.19 || ^22.12 || >=24' } }, file)
  const { jobs } = parse(read('.github/workflows/gate.yml')) as {
    jobs: Record<string, { container: string; strategy?: { matrix: { node: string[] } } }>
  }
  t.equal(jobs.gate!.container, `node:${read('.nvmrc').trim()}-bookworm`)
  const later = jobs['later-nodes']!.strategy!.matrix.node
  const nightNodes = NIGHT.filter(({ env }) => env.TEST_NODE)
  t.match(
    nightNodes,
    later.map(node => ({ name: `node-${node}`, files: short, env: { TEST_NODE: node } })),
  )
  t.match(read('infra/docker/Dockerfile'), new RegExp(`^ARG NODE_IMAGE=node:${later.at(-1)}\\.`, 'm'))
})

t.test('a version of Node that is too old is refused in one line', async t => {
  const { findNodeProblem } = (await import(`${ROOT}scripts/set-up/find-node-problem.mjs`)) as {
    findNodeProblem: (version: string) => string | undefined
  }
  for (const version of ['20.19.0', '20.20.2', '22.12.0', '22.23.3', '24.0.0', '24.21.0', '26.10.0'])
    t.equal(findNodeProblem(version), undefined, version)
  for (const version of ['18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.1'])
    t.match(findNodeProblem(version), new RegExp(`^Node\\.js [^\\n]+; this is ${version}$`))
})

interface Task {
  task: string
  directory: string
  command: string
  inputs: Record<string, string>
}
/** The tasks that turbo would run, with the files whose change runs them again. */
const readTasks = (...names: string[]) =>
  JSON.parse(
    execFileSync('node_modules/.bin/turbo', ['run', ...names, '--dry=json'], {
      cwd: ROOT,
      maxBuffer: 2 ** 26,
      encoding: 'utf8',
    }),
  ) as { tasks: Task[]; packages: string[] }

t.test('lint, format and types are run again for each file that they read', async t => {
  const { tasks, packages } = readTasks('//#lint', '//#format', '//#types')
  t.same(packages, ['//'])
  for (const { task, inputs } of tasks)
    for (const file of tracked)
      if (!inputs[file] && (task === 'format' || !file.endsWith('.md'))) t.fail(`${task}: ${file}`)
})

t.test('the short tests of a package run again for each file that they may read', async t => {
  const tasks = readTasks('test').tasks.filter(({ command }) =>
    command.endsWith('/scripts/gate/package-tests.mjs'),
  )
  t.same(tasks.map(({ directory }) => directory).sort(), [...new Set(short.map(packageOf))].sort())
  const OF_ALL =
    /^(packages\/[^/]+\/src|infra|prisma|scripts|docs|test\/fixtures)\/|^(package|package-lock|turbo)\.json$/
  for (const { directory: folder, inputs: given } of tasks) {
    const inputs = new Set(Object.keys(given).map(file => join(folder, file)))
    const isRead = (file: string) => folder === 'test' || file.startsWith(`${folder}/`) || OF_ALL.test(file)
    for (const file of tracked.filter(isRead)) if (!inputs.has(file)) t.fail(`${folder}: ${file}`)
    if (folder === 'test') continue
    // What a test starts or imports besides would have to be among its inputs.
    for (const file of tracked.filter(each => packageOf(each) === folder && /\/test\/.*\.ts$/.test(each))) {
      const text = read(file)
      for (const [, name] of text.matchAll(/startService\(\s*\w+,\s*'([\w-]+)'/g))
        t.equal(`services/${name}`, folder, file)
      t.notMatch(text, /startStack\(|'services'|'(\.\.\/)+(services|test\/(?!fixtures))/, file)
    }
  }
})

t.test('no object is spread where it is written, to save lines', async t => {
  const { stdout } = spawnSync('git', ['grep', '-nE', '\\.{3}\\{', '--', '*.ts', '*.tsx', '*.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  t.equal(stdout, '')
})
