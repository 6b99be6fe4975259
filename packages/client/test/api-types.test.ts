import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parseExact } from '../src/exact-fetch.js'

t.test('the types equal the OpenAPI document', async t => {
  const script = fileURLToPath(new URL('../scripts/generate.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
})

t.test('integers keep every digit', async t => {
  t.strictSame(parseExact('{"a":18446744073709551615,"b":9007199254740991,"c":1.5,"d":-9007199254740993}'), {
    a: 18446744073709551615n,
    b: 9007199254740991,
    c: 1.5,
    d: -9007199254740993n,
  })
})
