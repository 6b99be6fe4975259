import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { insertSettings, type PageSettings } from './insert-settings.js'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** What the build leaves beside each file, smallest first. */
const COMPRESSED = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

export type Encoding = 'br' | 'gzip' | 'identity'

/** One form of a file, as it goes over the wire. */
export interface SiteBody {
  encoding: Encoding
  bytes: Buffer
  /** with quotes; every form has its own */
  etag: string
}

export interface SiteFile {
  type: string
  /** the forms, smallest first; the last one is the file itself */
  bodies: readonly SiteBody[]
}

/** All files by their path in the site, such as `assets/index-Dx1.js`. */
export type Site = ReadonlyMap<string, SiteFile>

const bodyOf = (encoding: Encoding, bytes: Buffer): SiteBody => ({
  encoding,
  bytes,
  etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`,
})

/**
 * Reads the whole site into memory. Its files are few and small. Requests never reach the file system, so no path can
 * name a file outside of the site.
 * @param folder what `npm run build` left, with the compressed forms
 * @param settings what `index.html` tells the pages
 * @throws Error when nobody built the site
 */
export async function readSite(folder: URL, settings: PageSettings): Promise<Site> {
  const root = fileURLToPath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Error(`the pages are not built: ${root} cannot be read`, { cause })
  })
  const names = entries
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  const known = new Set(names)
  const read = async (name: string): Promise<[string, SiteFile]> => {
    const compressed = COMPRESSED.filter(([, ending]) => known.has(name + ending))
    const bodies = await Promise.all([
      ...compressed.map(async ([encoding, ending]) =>
        bodyOf(encoding, await readFile(join(root, name + ending))),
      ),
      readFile(join(root, name)).then(bytes => bodyOf('identity', bytes)),
    ])
    return [name.split(sep).join('/'), { type: TYPES[extname(name)]!, bodies }]
  }
  const site = new Map(await Promise.all(names.filter(name => TYPES[extname(name)]).map(read)))
  const index = site.get('index.html')
  if (!index) throw new Error(`the pages are not built: ${root} has no index.html`)
  const page = Buffer.from(insertSettings(String(index.bodies.at(-1)!.bytes), settings))
  const bodies = [
    bodyOf('br', brotliCompressSync(page)),
    bodyOf('gzip', gzipSync(page)),
    bodyOf('identity', page),
  ]
  return site.set('index.html', { type: index.type, bodies })
}
