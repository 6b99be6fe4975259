// The built site: what a first visit loads, and that it names no other server.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const SITE = join(import.meta.dirname, '../dist/site')
const BUDGET_BYTES = 200 * 1024

t.test('a first visit loads at most 200 KB', async t => {
  const index = readFileSync(join(SITE, 'index.html'), 'utf8')
  // The folder may hold files of earlier builds as well.
  const assets = [...index.matchAll(/"\/console\/(assets\/[^"]+)"/g)].map(([, name]) => join(SITE, name!))
  t.ok(assets.length >= 2, 'script and style were found')
  const bytes = [join(SITE, 'index.html'), ...assets].reduce(
    (sum, file) => sum + gzipSync(readFileSync(file)).length,
    0,
  )
  t.comment(`${bytes} bytes gzipped in ${assets.length + 1} files`)
  t.ok(bytes <= BUDGET_BYTES, `${bytes} bytes`)
  t.notMatch(index, /(src|href)="(https?:)?\/\//, 'nothing comes from another server')
  t.notMatch(index, /<script>|<style>|\son\w+=/, 'nothing stands in the page that the policy forbids')
})
