// `npm run dev`: the pages from here, made anew at every change, and everything else from a running stack.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { context } from 'esbuild'
import { createProxyServer } from 'httpxy'
import { BASE, optionsOf, prepareSite, SITE } from './site.mjs'

const STACK = 'http://127.0.0.1:3002'
/** esbuild tells each change at `/esbuild`. The line stands in each script; a browser has few connections. */
const RELOAD = `if (!globalThis.changes)
  (globalThis.changes = new EventSource('${BASE}esbuild')).addEventListener('change', () => location.reload())`

prepareSite()
const site = await context({ ...optionsOf({ isProduction: false }), banner: { js: RELOAD } })
await site.watch()
const { port } = await site.serve({
  host: '127.0.0.1',
  servedir: SITE,
  fallback: join(SITE, 'index.html'),
})
const proxy = createProxyServer({})
const server = createServer((request, response) => {
  const isPage = request.url.startsWith(BASE)
  if (isPage) request.url = request.url.slice(BASE.length - 1)
  const target = isPage ? `http://127.0.0.1:${port}` : STACK
  proxy.web(request, response, { target }).catch(() => response.destroy())
})
server.on('upgrade', (request, socket, head) =>
  proxy.ws(request, socket, { target: STACK }, head).catch(() => socket.destroy()),
)
server.listen(5173, '127.0.0.1', () => console.log(`http://127.0.0.1:5173${BASE}`))
