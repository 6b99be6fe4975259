// How esbuild makes the site: `build.mjs` once, `dev.mjs` at every change.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import { fromSource } from '../../../scripts/bundle.mjs'
import { ROOT } from '../../../scripts/command.mjs'

const CONSOLE = join(ROOT, 'services/console')
export const SITE = join(CONSOLE, 'dist/site')
export const BASE = '/console/'

/** The colours and sizes that all pages share. They stand in a TypeScript file of ours. */
async function readHouseStyle() {
  const file = join(ROOT, 'packages/runtime/src/pages/house-style.ts')
  const { outputFiles } = await build({ entryPoints: [file], write: false, format: 'esm' })
  const { HOUSE_TOKENS } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  )
  return HOUSE_TOKENS
}

/** Puts them before the styles of this site. */
const houseStyle = {
  name: 'house-style',
  setup(builder) {
    builder.onLoad({ filter: /\/site\/styles\/base\.css$/ }, async ({ path }) => ({
      contents: (await readHouseStyle()) + readFileSync(path, 'utf8'),
      loader: 'css',
    }))
  },
}

/** Names the hashed files in `index.html`. What the first script imports is loaded beside it, and not after it. */
function writeIndex({ outputs }) {
  const [path, { cssBundle, imports }] = Object.entries(outputs).find(
    ([, { entryPoint }]) => entryPoint === 'src/site/main.tsx',
  )
  const urlOf = file => `${BASE}assets/${basename(file)}`
  const tags = [
    `<script type="module" src="${urlOf(path)}"></script>`,
    ...imports
      .filter(({ kind }) => kind === 'import-statement')
      .map(each => `<link rel="modulepreload" href="${urlOf(each.path)}" />`),
    `<link rel="stylesheet" href="${urlOf(cssBundle)}" />`,
  ]
  const html = readFileSync(join(CONSOLE, 'index.html'), 'utf8')
  writeFileSync(
    join(SITE, 'index.html'),
    html.replace('</head>', () => `  ${tags.join('\n    ')}\n  </head>`),
  )
}

const index = {
  name: 'index',
  setup: builder => builder.onEnd(({ errors, metafile }) => errors.length || writeIndex(metafile)),
}

/** Empties the folder of the site, and copies the icons. */
export function prepareSite() {
  rmSync(SITE, { recursive: true, force: true })
  cpSync(join(CONSOLE, 'public'), SITE, { recursive: true })
}

/** @returns the options of esbuild */
export const optionsOf = ({ isProduction }) => ({
  absWorkingDir: CONSOLE,
  entryPoints: { index: 'src/site/main.tsx' },
  outdir: 'dist/site',
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2023',
  minify: isProduction,
  metafile: true,
  define: { 'process.env.NODE_ENV': isProduction ? '"production"' : '"development"' },
  // Pages are written against React's API, as TanStack Query and wouter are. Preact draws them with a tenth of the bytes.
  alias: {
    'react-dom/client': 'preact/compat/client',
    'react-dom': 'preact/compat',
    'react/jsx-runtime': 'preact/jsx-runtime',
    react: 'preact/compat',
  },
  plugins: [fromSource, houseStyle, index],
  logLevel: 'warning',
})
