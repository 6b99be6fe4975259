import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'
import { HOUSE_TOKENS } from '../../packages/runtime/src/pages/house-style.js'

/** Leaves the compressed forms beside each file: the server sends them, and compresses nothing. */
const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle)) {
      const bytes = readFileSync(join(dir, name))
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes))
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    }
  },
})

/** The site is built of the sources of our packages, before any is compiled. */
const PACKAGES = fileURLToPath(new URL('../../packages/', import.meta.url))

/** Puts the colours and sizes that all pages share before the styles of this site. */
const houseStyle = (): Plugin => ({
  name: 'house-style',
  enforce: 'pre',
  transform: (code, file) => (file.endsWith('/site/styles/base.css') ? HOUSE_TOKENS + code : undefined),
})

export default defineConfig({
  base: '/console/',
  // Pages are written against React's API, as TanStack Query and wouter are. Preact draws them with a tenth of the bytes.
  resolve: {
    alias: [
      { find: 'react-dom/client', replacement: 'preact/compat/client' },
      { find: 'react-dom', replacement: 'preact/compat' },
      { find: 'react/jsx-runtime', replacement: 'preact/jsx-runtime' },
      { find: 'react/jsx-dev-runtime', replacement: 'preact/jsx-dev-runtime' },
      { find: 'react', replacement: 'preact/compat' },
      { find: /^@payment-tracking\/(\w+)$/, replacement: `${PACKAGES}$1/src/index.ts` },
      { find: /^@payment-tracking\/(\w+)\/([\w-]+)$/, replacement: `${PACKAGES}$1/src/$2.ts` },
    ],
  },
  plugins: [houseStyle(), compress()],
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages forbids scripts and styles that stand in the HTML.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // 'use client' in TanStack's files means nothing here.
      onLog: (level, log, print) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && print(level, log),
    },
  },
  // `npm run dev`: pages from here, everything else from a running stack.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:3002', ws: true } } },
})
