// The console's files, as `services/console` built them, under the base URL: one origin, so that no edge needs another
// route and the browser's policy can forbid every other server.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { ApiServer } from '../api-server.js'
import { NotFoundError } from '../http/api-errors.js'

export const CONSOLE_PATH = '/console'
const SITE = 'services/console/dist/site'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The folder of the built console, in the repository and in an image; undefined where nobody built it. */
function findSite(): string | undefined {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const site = join(folder, SITE)
    if (existsSync(join(site, 'index.html'))) return site
  }
  return undefined
}

export const hasConsole = (): boolean => findSite() !== undefined

interface SiteFile {
  type: string
  plain: Buffer
  gzipped: Buffer
}

/** All files, by their path in the site. They are few and small, and a start must not wait for them. */
async function readSite(site: string): Promise<Map<string, SiteFile>> {
  const entries = await readdir(site, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }): Promise<[string, SiteFile]> => {
        const file = join(parentPath, name)
        const plain = await readFile(file)
        const path = file.slice(site.length + 1)
        return [path, { type: TYPES[extname(name)]!, plain, gzipped: gzipSync(plain) }]
      }),
    ),
  )
}

/** Serves the console. Every path below it that names no file is a page of the console, and gets `index.html`. */
export function addConsole(app: ApiServer): void {
  const site = findSite()
  if (site === undefined) return
  let files: ReturnType<typeof readSite> | undefined
  const options = { schema: { hide: true }, compress: false, config: { takesAnyQuery: true } } as const
  const send = (reply: FastifyReply, { type, plain, gzipped }: SiteFile, encodings: string) => {
    void reply.type(type).header('content-security-policy', POLICY).header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(encodings)) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(gzipped)
  }
  app.get(CONSOLE_PATH, options, (_request, reply) => reply.redirect(`${CONSOLE_PATH}/`, 301))
  app.get(`${CONSOLE_PATH}/*`, options, async (request, reply) => {
    const { '*': path } = request.params as { '*': string }
    const known = await (files ??= readSite(site))
    const isAsset = path.startsWith('assets/')
    const file = known.get(path) ?? (isAsset ? undefined : known.get('index.html'))
    if (!file) throw new NotFoundError('There is nothing at this path.')
    // The name of an asset holds a hash of its content.
    void reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
    return send(reply, file, String(request.headers['accept-encoding']))
  })
}
