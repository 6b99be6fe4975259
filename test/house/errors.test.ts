import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from 'tap'

const files = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'packages', 'services', 'infra'],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter(
    file =>
      /^(packages|services|infra)\/[^/]+\/src\/.*\.ts$/.test(file) ||
      /^infra\/stack\/src\/.*\.ts$/.test(file),
  )
const sources = files.map(file => readFileSync(file, 'utf8')).join('\n')
const document = readFileSync('docs/errors.md', 'utf8')
const documented = new Set([...document.matchAll(/^\| `([A-Z][A-Z_]+)`/gm)].map(([, code]) => code!))

t.test('every code of an error of ours and of a dead letter is documented', async t => {
  const thrown = [...sources.matchAll(/readonly code = '([A-Z_]+)'/g)].map(([, code]) => code!)
  const union = /export type RefusalCode =([^]*?)\n\n/.exec(sources)?.[1] ?? ''
  const refusals = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code!)
  t.ok(thrown.length > 5 && refusals.length > 5, 'the codes were found')
  t.strictSame(
    [...new Set([...thrown, ...refusals])].filter(code => !documented.has(code)),
    [],
  )
})

t.test('every documented code exists', async t => {
  t.strictSame(
    [...documented].filter(code => !new RegExp(`\\b${code}\\b`).test(sources)),
    [],
  )
})
