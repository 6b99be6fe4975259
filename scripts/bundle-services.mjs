// `node scripts/bundle-services.mjs [NAME...]`: makes `dist/service.js` of a service's `dist/main.js` and of all it
// imports, for every service when none is named. A process that reads one file instead of some 1,500 starts in a third
// to a half of the CPU. Code that is imported on demand (tracing) stays a file of its own. One-shot programs
// (`*-main.js`), the settings of each service (`dist/settings.js`) and the launcher with its commands
// (`infra/stack/dist/commands.js`, for the name `stack`) are bundled the same way.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { UNBUNDLED } from './unbundled-packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SERVICES = join(ROOT, 'services')
const STORE = join(ROOT, 'packages/store/dist')
const STACK = join(ROOT, 'infra/stack/dist')

/**
 * What CommonJS in the bundle asks for at run time, and the `navigator` that later versions of Node have: without it pg
 * asks for `Response`, which loads undici into every process.
 */
const BANNER = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __dirname = import.meta.dirname
globalThis.navigator ??= { userAgent: 'Node.js/' + process.versions.node.split('.')[0] }`

/** Keeps `import.meta.url` of our own files, which find other files by their place in the repository. */
const keepPlaces = dist => ({
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const place = `new URL(${JSON.stringify(relative(dist, path))}, import.meta.url).href`
      return { contents: text.replaceAll('import.meta.url', place) }
    })
  },
})

/** Makes `dist/<output>.js` of one file of a service and of all it imports. */
async function bundleFile(dist, input, output, external = UNBUNDLED) {
  for (const file of readdirSync(dist))
    if (new RegExp(`^${output}[.-](?!main)`).test(file)) rmSync(join(dist, file))
  await build({
    entryPoints: [join(dist, input)],
    outdir: dist,
    entryNames: output,
    chunkNames: `${output}-[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    // Less to parse at each start. Names stay, so that traces can be read without the source map.
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: BANNER },
    external,
    plugins: [keepPlaces(dist)],
    logLevel: 'warning',
  })
}

/** The service, and each one-shot program of it: `dist/reingest.js` of `dist/reingest-main.js`. */
async function bundle(name) {
  const dist = join(SERVICES, name, 'dist')
  const isSource = file => existsSync(join(SERVICES, name, 'src', file.replace(/js$/, 'ts')))
  const programs = readdirSync(dist).filter(file => file.endsWith('-main.js') && isSource(file))
  await bundleFile(dist, 'main.js', 'service')
  // Nobody traces who only reads settings.
  await bundleFile(dist, 'config.js', 'settings', [...UNBUNDLED, './sdk.js'])
  for (const file of programs) await bundleFile(dist, file, file.slice(0, -'-main.js'.length))
}

/** Leaves out folders that git left of a renamed service: only a build. */
const listServices = () =>
  readdirSync(SERVICES).filter(name => existsSync(join(SERVICES, name, 'src/main.ts')))

const named = process.argv.slice(2)
if (named.includes('stack')) await bundleFile(STACK, 'commands-main.js', 'commands')
for (const name of named.length > 0 ? named.filter(each => each !== 'stack') : listServices())
  await bundle(name)
// The programs of the image `migrate`.
if (named.length === 0) {
  await bundleFile(STORE, 'migrate-main.js', 'service')
  await bundleFile(STORE, 'rebuild-main.js', 'rebuild')
}
