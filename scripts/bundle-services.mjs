// `node scripts/bundle-services.mjs`: makes `dist/service.js` of each service's `dist/main.js` and of all it imports. A
// process that reads a few files instead of some 1,500 starts in a third to a half of the CPU. The settings of each
// service (`dist/settings.js`), one-shot programs (`dist/reingest.js` of `dist/reingest-main.js`) and the launcher with
// its commands (`infra/stack/dist/commands.js`) are bundled the same way. What several of them share, and what is
// imported on demand (tracing), lies once in CHUNKS: to bundle them together takes a third of the time.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { UNBUNDLED } from './unbundled-packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** As deep below the root as every bundle, so that one relative path leads from either to a file. */
const CHUNKS = 'dist/bundles/chunks'

/**
 * What CommonJS in the bundle asks for at run time, and the `navigator` that later versions of Node have: without it pg
 * asks for `Response`, which loads undici into every process.
 */
const BANNER = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __dirname = import.meta.dirname
globalThis.navigator ??= { userAgent: 'Node.js/' + process.versions.node.split('.')[0] }`

/** Keeps `import.meta.url` of our own files, which find other files by their place in the repository. */
const keepPlaces = {
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\/(packages|services|infra)\/[\w-]+\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const place = `new URL(${JSON.stringify(join('../../..', relative(ROOT, path)))}, import.meta.url).href`
      return { contents: text.replaceAll('import.meta.url', place) }
    })
  },
}

/** The bundles of a service, by their path: the file that each is made of. */
function bundlesOf(service) {
  const dist = join('services', service, 'dist')
  // A build may hold programs whose source is gone.
  const programs = readdirSync(join(ROOT, 'services', service, 'src')).filter(file =>
    file.endsWith('-main.ts'),
  )
  return [
    [`${dist}/service`, `${dist}/main.js`],
    [`${dist}/settings`, `${dist}/config.js`],
    ...programs.map(file => [
      `${dist}/${file.slice(0, -'-main.ts'.length)}`,
      `${dist}/${file.replace('.ts', '.js')}`,
    ]),
  ]
}

/** Leaves out folders that git left of a renamed service: only a build. */
const services = readdirSync(join(ROOT, 'services')).filter(name =>
  existsSync(join(ROOT, 'services', name, 'src/main.ts')),
)
const bundles = [
  ...services.flatMap(bundlesOf),
  // Images are built without the launcher.
  ...(existsSync(join(ROOT, 'infra/stack/src'))
    ? [['infra/stack/dist/commands', 'infra/stack/dist/commands-main.js']]
    : []),
  // The programs of the image `migrate`.
  ['packages/store/dist/service', 'packages/store/dist/migrate-main.js'],
  ['packages/store/dist/rebuild', 'packages/store/dist/rebuild-main.js'],
]
rmSync(join(ROOT, CHUNKS), { recursive: true, force: true })
await build({
  absWorkingDir: ROOT,
  entryPoints: Object.fromEntries(bundles),
  outdir: ROOT,
  chunkNames: `${CHUNKS}/[name]-[hash]`,
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
  external: UNBUNDLED,
  plugins: [keepPlaces],
  logLevel: 'warning',
})
