// Makes the two programs of the dev kit, each one file without dependencies: payment-tracking.js of the commands of infra/stack, and
// payment-tracking-mcp.js of mcp.ts. The protocol's package comes with the packages of tests.
// `node bundle.mjs FOLDER` writes them there: the first alone where the packages of tests are not installed.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { fromSource } from '../../scripts/bundle.mjs'

const at = path => join(import.meta.dirname, path)
const hasProtocol = existsSync(at('../../node_modules/@modelcontextprotocol/sdk'))
if (!hasProtocol && process.argv[2] === undefined)
  throw new Error('the packages of tests are not installed: run npm ci first')

await build({
  entryPoints: {
    'payment-tracking': at('../stack/src/dev-kit-main.ts'),
    ...(hasProtocol && { 'payment-tracking-mcp': at('mcp.ts') }),
  },
  plugins: [fromSource],
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
