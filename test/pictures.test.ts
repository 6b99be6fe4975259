// The pictures of the guides show the pages of today.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { digestOf, PICTURES, readNote, type Picture } from './console/pictures.js'

const CURE =
  'UPDATE_SCREENSHOTS=1 npm test -- test/e2e/console.long.test.ts test/e2e/ops-dashboard.long.test.ts, look, commit'

for (const [name, { file }] of Object.entries(PICTURES))
  t.test(`${file} is of today`, async t => {
    t.ok(existsSync(fileURLToPath(new URL(`../${file}`, import.meta.url))), 'it exists')
    t.equal(readNote()[name as Picture], digestOf(name as Picture), `else take it anew: ${CURE}`)
  })
