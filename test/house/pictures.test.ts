// The pictures of README and the guides show the pages of today, in both colour schemes.
import t from 'tap'
import { digestOf, filesOfPicture, PICTURES, readNote, type Picture } from '../console/pictures.js'
import { files, isThere, read } from '../repository.js'

const CURE =
  'UPDATE_SCREENSHOTS=1 npm test -- test/e2e/console.long.test.ts test/e2e/ops-dashboard.long.test.ts, look, commit'
const NAMES = Object.keys(PICTURES) as Picture[]

for (const name of NAMES)
  t.test(`${PICTURES[name].file} is of today`, async t => {
    for (const file of Object.values(filesOfPicture(name))) t.ok(isThere(file), `${file} exists`)
    t.equal(readNote()[name], digestOf(name), `else take it anew: ${CURE}`)
  })

t.test('each picture stands in a document, in both schemes', async t => {
  const shownBy = /^(README|services\/ops\/README|docs\/([^/]+|guides\/[^/]+))\.md$/
  const texts = files.filter(file => shownBy.test(file)).map(read)
  for (const name of NAMES)
    for (const file of Object.values(filesOfPicture(name))) {
      const { 0: shown } = file.split('/').slice(-1)
      const isShown = texts.some(text => text.includes(shown!))
      t.ok(isShown, `${shown} is shown`)
    }
})
