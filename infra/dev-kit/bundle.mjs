// Makes the two programs of the dev kit, each one file without dependencies: payment-tracking.js of the built commands of
// infra/stack, and payment-tracking-mcp.js of mcp.ts. The protocol's package comes with the packages of tests.
// `node bundle.mjs FOLDER` writes them there.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const COMMANDS = join(import.meta.dirname, '../stack/dist/dev-kit-main.js')
if (!existsSync(COMMANDS)) throw new Error('nothing is built yet: run npm run build first')
if (!existsSync(join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/sdk')))
  throw new Error('the packages of tests are not installed: run npm ci first')

await build({
  entryPoints: { 'payment-tracking': COMMANDS, 'payment-tracking-mcp': join(import.meta.dirname, 'mcp.ts') },
  outdir: resolve(process.argv[2] ?? import.meta.dirname),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  define: { PACKED: 'true' },
  // CommonJS in the bundle asks for `require` at run time.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
})
