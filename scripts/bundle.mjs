// How esbuild bundles processes and test files. A process that reads a few files instead of some 1,500 starts in a fifth to a
// half of the CPU.
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { ROOT } from './command.mjs'

/** Packages that stay out of the bundles: they read files that lie beside their own, or are required by name. */
export const UNBUNDLED = ['@bull-board/ui', '@socket.io/redis-adapter', 'litesvm', 'msgpackr-extract']

/**
 * Gives CommonJS packages in a bundle the names that Node gives them. Gives Node 20 the `navigator` of later versions: without
 * it, pg looks at `Response`, and that loads undici into every process.
 */
const BANNER = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __dirname = import.meta.dirname
const __filename = import.meta.filename
globalThis.navigator ??= { userAgent: 'Node.js/' + process.versions.node.split('.')[0] }`

/** Keeps `import.meta` of our own files, which find other files by their place in the repository. */
const keepUrls = urlOf => ({
  name: 'keep-places',
  setup(builder) {
    builder.onLoad({ filter: /\.(ts|js|mjs)$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.')) return undefined
      const contents = text
        .replaceAll('import.meta.url', urlOf(path))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
      return { contents, loader: path.endsWith('.ts') ? 'ts' : 'js' }
    })
  },
})

/** Packages that lie below infra. */
const INFRA = ['stack', 'testkit']

/** The source of each entry point of our packages: bundles need no compiled package. */
export const fromSource = {
  name: 'from-source',
  setup(builder) {
    builder.onResolve({ filter: /^@payment-tracking\// }, ({ path }) => {
      const [, name, entry] = /^@payment-tracking\/([^/]+)(.*)$/.exec(path)
      const folder = join(ROOT, INFRA.includes(name) ? 'infra' : 'packages', name)
      const { exports, sideEffects } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = exports[`.${entry}`].default.replace('/dist/', '/src/').replace(/\.js$/, '.ts')
      return { path: join(folder, file), sideEffects: sideEffects !== false }
    })
  },
}

/**
 * Takes BullMQ's ES modules: what no program uses of them is left out, such as flows and schedulers of jobs. Its CommonJS is half as
 * much again, and a fifth of what the api computes at its start.
 */
const bullmqInParts = {
  name: 'bullmq-in-parts',
  setup(builder) {
    const esm = join(ROOT, 'node_modules/bullmq/dist/esm')
    const resolve = async ({ path, ...from }) => {
      if (from.pluginData === esm || !(path === 'bullmq' || from.resolveDir.startsWith(esm))) return undefined
      const found = await builder.resolve(path === 'bullmq' ? `${esm}/index.js` : path, {
        ...from,
        pluginData: esm,
      })
      return { ...found, sideEffects: false }
    }
    builder.onResolve({ filter: /^bullmq$|^\./ }, resolve)
  },
}

/** Of mime-db and the like. A text is parsed in a third of the time that the same object takes in a program. */
const jsonAsText = {
  name: 'json-as-text',
  setup(builder) {
    builder.onLoad({ filter: /\/node_modules\/.*\.json$/ }, async ({ path }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(await readFile(path, 'utf8'))))})`,
    }))
  },
}

/** Writes Prisma's WebAssembly beside the bundles as it is: as text in base64, it would be parsed and decoded at each start. */
const wasmAsFile = {
  name: 'wasm-as-file',
  setup(builder) {
    builder.onLoad({ filter: /\.wasm-base64\.mjs$/ }, ({ path }) => ({
      contents: `import { readFileSync } from 'node:fs'
import file from ${JSON.stringify(path.replace('.wasm-base64.mjs', '.wasm'))}
export const wasm = readFileSync(new URL(file, import.meta.url))`,
    }))
    builder.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, namespace: 'wasm' }))
    builder.onLoad({ filter: /./, namespace: 'wasm' }, async ({ path }) => {
      const { wasm } = await import(pathToFileURL(path.replace(/\.wasm$/, '.wasm-base64.mjs')).href)
      return { contents: Buffer.from(wasm, 'base64'), loader: 'file' }
    })
  },
}

/**
 * Runs esbuild with the options that all bundles share.
 * @param options more options of esbuild
 * @param options.urlOf takes a file's path, and returns the code that stands for `import.meta.url` in that file
 * @returns esbuild's result
 */
export const bundle = ({ urlOf, plugins = [], ...options }) =>
  build({
    absWorkingDir: ROOT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    external: UNBUNDLED,
    plugins: [keepUrls(urlOf), bullmqInParts, jsonAsText, wasmAsFile, ...plugins],
    logLevel: 'warning',
    ...options,
  })
