// Every command of package.json says how it is used, and refuses what it does not know.
import t from 'tap'
import { run, scripts } from './run-script.js'

const OF_OPERATORS = ['jwt-keys', 'archive', 'rebuild', 'reingest', 'publish-events', 'sizing']
const COMMANDS = [
  ...Object.keys(scripts).filter(name => /^node scripts\/(?!bundle-services|set-up)/.test(scripts[name]!)),
  ...OF_OPERATORS,
]

const forEachCommand = (argument: string, judge: (name: string, code: unknown, output: string) => void) =>
  Promise.all(
    COMMANDS.map(async name => {
      const { code, output } = OF_OPERATORS.includes(name)
        ? await run('operate', [name, argument])
        : await run(name, [argument])
      judge(name, code, output)
    }),
  )

t.test('the commands of operators are all of them', async t => {
  const { output } = await run('operate', ['--help'])
  const names = [...output.matchAll(/^ {2}([\w-]+) {2,}/gm)].map(([, name]) => name)
  t.same(names, OF_OPERATORS)
})

t.test('every command tells how it is used, in at most 100 columns, and does nothing else', async t => {
  await forEachCommand('--help', (name, code, output) => {
    t.equal(code, 0, `${name}: ${output}`)
    // `soak` is `chaos` with other defaults.
    const shown = name === 'soak' ? 'chaos' : name.replace(/^test:(systems|night)$/, 'test')
    t.match(
      output,
      new RegExp(`^usage: (\\[BASE_URL=\\S+\\] )?npm (run )?(--silent )?(operate -- )?${shown}\\b`),
    )
    for (const line of output.split('\n')) t.ok(line.length <= 100, `${name} fits a terminal`)
  })
})

t.test('every command refuses an unknown argument with its usage and exit code 2', async t => {
  await forEachCommand('--nonsense', (name, code, output) => {
    t.equal(code, 2, `${name}: ${output}`)
    t.match(output, /--nonsense.*\nusage: (\[BASE_URL=\S+\] )?npm/)
  })
})
