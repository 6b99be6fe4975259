// Makes payment-tracking.js, one file without dependencies, of the built commands of infra/stack.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const COMMANDS = fileURLToPath(new URL('../stack/dist/dev-kit-main.js', import.meta.url))
if (!existsSync(COMMANDS)) throw new Error('nothing is built yet: run npm run build first')

await build({
  entryPoints: [COMMANDS],
  outfile: fileURLToPath(new URL('payment-tracking.js', import.meta.url)),
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
