import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    target: 'es2023',
    // The policy of the pages forbids scripts and styles that stand in the HTML.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  // `npm run dev`: pages from here, everything else from a running stack.
  server: { proxy: { '/v1': { target: 'http://127.0.0.1:3002', ws: true } } },
})
