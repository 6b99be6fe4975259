// Makes dist/script/payment-tracking.js for pages without a bundler: everything in one file, as `PaymentTracking`.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

await build({
  entryPoints: [fileURLToPath(new URL('../dist/index.js', import.meta.url))],
  outfile: fileURLToPath(new URL('../dist/script/payment-tracking.js', import.meta.url)),
  bundle: true,
  minify: true,
  format: 'iife',
  globalName: 'PaymentTracking',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
})
