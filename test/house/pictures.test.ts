// The pictures of README and the guides show the pages of today, in both colour schemes.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { digestOf, filesOfPicture, PICTURES, readNote, type Picture } from '../console/pictures.js'

const CURE =
  'UPDATE_SCREENSHOTS=1 npm test -- test/e2e/console.long.test.ts test/e2e/ops-dashboard.long.test.ts, look, commit'
const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const NAMES = Object.keys(PICTURES) as Picture[]

for (const name of NAMES)
  t.test(`${PICTURES[name].file} is of today`, async t => {
    for (const file of Object.values(filesOfPicture(name))) t.ok(existsSync(at(file)), `${file} exists`)
    t.equal(readNote()[name], digestOf(name), `else take it anew: ${CURE}`)
  })

t.test('each picture stands in a document, in both schemes', async t => {
  const texts = [
    'README.md',
    'services/ops/README.md',
    ...['docs', 'docs/guides'].flatMap(folder =>
      readdirSync(at(folder))
        .filter(file => file.endsWith('.md'))
        .map(file => `${folder}/${file}`),
    ),
  ].map(file => readFileSync(at(file), 'utf8'))
  for (const name of NAMES)
    for (const file of Object.values(filesOfPicture(name))) {
      const { 0: shown } = file.split('/').slice(-1)
      t.ok(
        texts.some(text => text.includes(shown!)),
        `${shown} is shown`,
      )
    }
})
