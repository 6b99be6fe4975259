// packages/domain/SPEC.md names the tests that enforce its rules: each is there, and no number stands for two rules.
import t from 'tap'
import { git, read } from '../repository.js'

const tests = git('ls-files', '*.test.ts')

/** The files that a name means: one of domain's own tests, a file of another package without its ending, or a folder. */
const filesOf = (name: string): string[] => {
  const path = name.includes('/')
    ? name.replace(/^store\//, 'packages/store/')
    : `packages/domain/test/${name}`
  return tests.filter(
    file => file.includes(`${path.replace(/\.test\.ts$/, '')}.`) || file.includes(`${path}/`),
  )
}

const rules = read('packages/domain/SPEC.md')
  .split('\n')
  .map(line => line.split(/ \| |^\| | \|$/).map(cell => cell.trim()))
  .filter(([, number]) => /^[A-Z]\d+$/.test(number ?? ''))

t.test('each rule has a number of its own', async t => {
  t.ok(rules.length > 60, `${rules.length} rules`)
  const numbers = rules.map(([, number]) => number)
  const twice = numbers.filter((number, at) => numbers.indexOf(number) !== at)
  t.strictSame(twice, [])
})

t.test('each test that enforces a rule is there', async t => {
  for (const [, number, , by] of rules) {
    let files: string[] = []
    // `name: "a title…", "another…"; other-name: all`
    for (const [, name, title] of by!.matchAll(/(?:^|[;,] )`?([\w./-]+)`?(?=:|;|,|$| \()|"([^"]+)"/g)) {
      if (name !== undefined) t.ok((files = filesOf(name)).length > 0, `${number}: ${name}`)
      else {
        const begin = title!.replace(/…$/, '')
        const isFound = files.some(file => read(file).includes(begin))
        t.ok(isFound, `${number}: ${title}`)
      }
    }
    t.ok(files.length > 0, `${number} names a test`)
  }
})
