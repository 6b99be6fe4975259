// Makes the package stand alone: the socket's messages of packages/contracts lie in dist, and dist/script/payment-tracking.js
// has everything in one file, as `PaymentTracking`, for pages without a bundler.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const DIST = new URL('../dist/', import.meta.url)
const CONTRACTS = new URL('../../contracts/dist/', import.meta.url)

// The compiler does not delete the output of a source file that was deleted, and `npm pack` takes all of dist.
for (const name of readdirSync(DIST).filter(file => /\.(js|d\.ts)(\.map)?$/.test(file)))
  if (!existsSync(new URL(`../src/${name.split('.')[0]}.ts`, import.meta.url))) rmSync(new URL(name, DIST))
for (const name of ['socket-messages.js', 'socket-messages.d.ts'])
  copyFileSync(new URL(name, CONTRACTS), new URL(name, DIST))
for (const name of readdirSync(DIST).filter(file => /\.(js|d\.ts)$/.test(file))) {
  const text = readFileSync(new URL(name, DIST), 'utf8')
  const alone = text.replaceAll("'@payment-tracking/contracts/socket-messages'", "'./socket-messages.js'")
  if (alone !== text) writeFileSync(new URL(name, DIST), alone)
}

await build({
  entryPoints: [fileURLToPath(new URL('index.js', DIST))],
  outfile: fileURLToPath(new URL('script/payment-tracking.js', DIST)),
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'PaymentTracking',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
})
