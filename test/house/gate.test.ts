// The steps of `npm run test:long` and the files that only they run.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Step {
  name: string
  seconds: number
  minutes: number
  files?: string[]
  program?: string[]
  env?: Record<string, string>
}
const load = async <T>(file: string) => (await import(`${ROOT}scripts/gate/${file}`)) as T
const { STEPS } = await load<{ STEPS: Step[] }>('long-steps.mjs')
const { listPropertyTests, listTestFiles } = await load<{
  listPropertyTests: () => string[]
  listTestFiles: () => { short: string[]; long: string[] }
}>('test-files.mjs')

t.test('every long test file is run by a step, and every file of a step exists', async t => {
  const { short, long } = listTestFiles()
  const named = STEPS.flatMap(({ files = [] }) => files)
  t.same(named.filter(file => long.includes(file)).sort(), long, 'each long file has one step')
  t.same(
    named.filter(file => !long.includes(file) && !short.includes(file)),
    [],
  )
  t.ok(short.includes('test/house/gate.test.ts'))
})

t.test('every test file of the repository is in a list', async t => {
  const { short, long } = listTestFiles()
  const all = ['test', 'infra', 'packages', 'services'].flatMap(folder =>
    readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map(name => `${folder}/${name}`),
  )
  t.same([...short, ...long].sort(), all.sort())
})

t.test('the steps leave room for npm test within 50 minutes, and for a slower machine', async t => {
  t.ok(STEPS.reduce((sum, { seconds }) => sum + seconds, 0) <= 40 * 60)
  for (const { name, seconds, minutes, files, program } of STEPS) {
    t.ok(minutes * 60 >= 1.2 * seconds, `${name} may take a fifth longer`)
    t.ok(Boolean(files) !== Boolean(program), name)
  }
})

t.test('every file that draws cases at random is run again with a fresh seed', async t => {
  const drawing = listPropertyTests()
  t.ok(drawing.includes('services/api/test/fuzz/fuzz.test.ts'))
  t.ok(drawing.includes('packages/domain/test/due-date.test.ts'), 'by way of hold.ts')
  t.same(STEPS.find(({ env }) => env?.SEED)?.files, drawing)
})

t.test('no object is spread where it is written, to save lines', async t => {
  const { stdout } = spawnSync('git', ['grep', '-nE', '\\.{3}\\{', '--', '*.ts', '*.tsx', '*.mjs'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  t.equal(stdout, '')
})
