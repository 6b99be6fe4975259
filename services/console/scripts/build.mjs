// Builds the site. Leaves the compressed forms beside each file: the server sends them, and compresses nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { optionsOf, prepareSite, SITE } from './site.mjs'

prepareSite()
await build(optionsOf({ isProduction: true }))
for (const name of readdirSync(SITE, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(html|js|css)$/.test(name)) continue
  const bytes = readFileSync(join(SITE, name))
  writeFileSync(join(SITE, `${name}.br`), brotliCompressSync(bytes))
  writeFileSync(join(SITE, `${name}.gz`), gzipSync(bytes, { level: 9 }))
}
