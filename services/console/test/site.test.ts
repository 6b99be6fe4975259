// The built site: what a first visit loads, and that it names no other server.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const SITE = join(import.meta.dirname, '../dist/site')
const BUDGET_BYTES = 200 * 1024

t.test('a first visit loads at most 200 KB', async t => {
  const index = readFileSync(join(SITE, 'index.html'), 'utf8')
  const assets = readdirSync(join(SITE, 'assets')).map(name => join(SITE, 'assets', name))
  const bytes = [join(SITE, 'index.html'), ...assets].reduce(
    (sum, file) => sum + gzipSync(readFileSync(file)).length,
    0,
  )
  t.comment(`${bytes} bytes gzipped in ${assets.length + 1} files`)
  t.ok(bytes <= BUDGET_BYTES, `${bytes} bytes`)
  t.notMatch(index, /(src|href)="(https?:)?\/\//, 'nothing comes from another server')
  t.notMatch(index, /<script>|<style>|\son\w+=/, 'nothing stands in the page that the policy forbids')
})
