// `node scripts/bundle-services.mjs [NAME...]`: makes `dist/service.js` of a service's `dist/main.js` and of all it
// imports, for every service when none is named. A process that reads one file instead of some 1,500 starts in a third
// to a half of the CPU. What is loaded only when it is asked for (tracing) stays a file of its own.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const SERVICES = fileURLToPath(new URL('../services', import.meta.url))

/** What CommonJS in the bundle asks for at run time. */
const BANNER = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __dirname = import.meta.dirname`

async function bundle(name) {
  const dist = join(SERVICES, name, 'dist')
  for (const file of readdirSync(dist)) if (/^service[.-]/.test(file)) rmSync(join(dist, file))
  await build({
    entryPoints: [join(dist, 'main.js')],
    outdir: dist,
    // Beside main.js, for code that finds files by its own place.
    entryNames: 'service',
    chunkNames: 'service-[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    // They read files that lie beside their own.
    external: ['@bull-board/*', '@scalar/*', 'msgpackr-extract'],
    logLevel: 'warning',
  })
}

const named = process.argv.slice(2)
for (const name of named.length > 0 ? named : readdirSync(SERVICES)) await bundle(name)
