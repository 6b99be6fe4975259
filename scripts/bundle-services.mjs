// `node scripts/bundle-services.mjs`: makes `dist/service.js` of each service's `src/main.ts` and of all it imports. The
// settings of each service (`dist/settings.js`), one-shot programs (`dist/reingest.js` of `src/reingest-main.ts`) and the
// launcher with its commands (`infra/stack/dist/commands.js`) are bundled the same way. All are bundled in one run, which takes a
// third of the time. Code that several bundles share, or that is imported on demand (tracing), lies once in CHUNKS.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundle, fromSource } from './bundle.mjs'
import { ROOT } from './command.mjs'

/** As deep below the root as every bundle, so that one relative path leads from either to a file. */
const CHUNKS = 'dist/bundles/chunks'

/** The bundles of a package or a service: each path, and the file that it is made of. */
function bundlesOf(workspace) {
  const source = join(ROOT, workspace, 'src')
  // The folder of a renamed service can still hold its old build, which git ignores. Images are built without infra/stack.
  if (!existsSync(source)) return []
  const bundles = readdirSync(source)
    .filter(file => file.endsWith('-main.ts') && file !== 'dev-kit-main.ts')
    .map(file => [file.slice(0, -'-main.ts'.length), file])
  if (existsSync(join(source, 'main.ts'))) bundles.push(['service', 'main.ts'], ['settings', 'config.ts'])
  return bundles.map(([name, file]) => [`${workspace}/dist/${name}`, `${workspace}/src/${file}`])
}

const services = readdirSync(join(ROOT, 'services')).map(name => `services/${name}`)
rmSync(join(ROOT, CHUNKS), { recursive: true, force: true })
await bundle({
  entryPoints: Object.fromEntries(['packages/store', 'infra/stack', ...services].flatMap(bundlesOf)),
  outdir: ROOT,
  chunkNames: `${CHUNKS}/[name]-[hash]`,
  assetNames: `${CHUNKS}/[name]-[hash]`,
  // Less to parse at each start. Names stay, so that traces can be read without the source map.
  minifyWhitespace: true,
  minifySyntax: true,
  plugins: [fromSource],
  urlOf: path => `new URL(${JSON.stringify(join('../../..', relative(ROOT, path)))}, import.meta.url).href`,
})
