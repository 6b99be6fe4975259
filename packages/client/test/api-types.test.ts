import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parseExact } from '../src/exact-fetch.js'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const TYPES = 'src/generated/api-types.ts'
const generate = (folder: string, ...flags: string[]) =>
  spawnSync(process.execPath, [join(folder, 'scripts/generate.mjs'), ...flags], { encoding: 'utf8' })

t.test('the types that are built are those of the OpenAPI document', async t => {
  t.match(generate(PACKAGE, '--check'), { status: 0, stderr: '' })
  t.match(readFileSync(join(PACKAGE, TYPES), 'utf8'), '"/v1/events/count": {')
})

t.test('without the generator there are no types, and such a client is not packed', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-types-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const part of ['scripts', 'openapi.json', 'package.json'])
    cpSync(join(PACKAGE, part), join(folder, part), { recursive: true })
  t.match(generate(folder), { status: 1, stderr: /openapi-typescript/ })
  t.notOk(existsSync(join(folder, TYPES)), 'nothing was made')
  t.match(generate(folder, '--check'), { status: 1 })
  const { scripts } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as {
    scripts: { prepack: string }
  }
  t.match(scripts.prepack, 'generate.mjs --check')
})

t.test('integers keep every digit', async t => {
  const parsed = parseExact('{"a":18446744073709551615,"b":9007199254740991,"c":1.5,"d":-9007199254740993}')
  t.strictSame(parsed, { a: 18446744073709551615n, b: 9007199254740991, c: 1.5, d: -9007199254740993n })
})
