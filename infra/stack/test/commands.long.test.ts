// Every command of package.json says how it is used, and refuses what it does not know.
import t from 'tap'
import { run, scripts } from './run-script.js'

const COMMANDS = Object.keys(scripts).filter(name =>
  /^node scripts\/(?!bundle-services|set-up)/.test(scripts[name]!),
)

const forEachCommand = (argument: string, judge: (name: string, code: unknown, output: string) => void) =>
  Promise.all(
    COMMANDS.map(async name => {
      const { code, output } = await run(name, [argument])
      judge(name, code, output)
    }),
  )

t.test(
  'every command tells how it is used, in lines of at most 100 columns, and does nothing else',
  async t => {
    await forEachCommand('--help', (name, code, output) => {
      t.equal(code, 0, `${name}: ${output}`)
      // `soak` is `chaos` with other defaults.
      const shown = name === 'soak' ? 'chaos' : name.replace(/^test:(systems|night)$/, 'test')
      t.match(output, new RegExp(`^usage: (\\[BASE_URL=\\S+\\] )?npm (run )?(--silent )?${shown}\\b`))
      t.ok(
        output.split('\n').every(line => line.length <= 100),
        `${name} fits a terminal`,
      )
    })
  },
)

t.test('every command refuses an unknown argument with its usage and exit code 2', async t => {
  await forEachCommand('--nonsense', (name, code, output) => {
    t.equal(code, 2, `${name}: ${output}`)
    t.match(output, /--nonsense.*\nusage: (\[BASE_URL=\S+\] )?npm/)
  })
})
