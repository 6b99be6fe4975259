import type { Site, SiteFile } from './read-site.js'

export const BASE_PATH = '/console'
const ASSETS = 'assets/'

export type Found =
  | { kind: 'file'; file: SiteFile; isAsset: boolean }
  | { kind: 'redirect'; location: string }
  | { kind: 'nothing' }

/** Whether the path, decoded, leaves a folder. Browsers never send such a path; who looks for files does. */
function isSuspicious(path: string): boolean {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') || decoded.split(/[/\\]/).includes('..')
  } catch {
    return true
  }
}

/** What stands at a URL. A path below the base that names no file is a page of the console: it gets `index.html`. */
export function findFile(site: Site, url: string): Found {
  const [path = ''] = url.split('?', 1)
  if (path === BASE_PATH) return { kind: 'redirect', location: `${BASE_PATH}/${url.slice(path.length)}` }
  if (!path.startsWith(`${BASE_PATH}/`) || isSuspicious(path)) return { kind: 'nothing' }
  const name = path.slice(BASE_PATH.length + 1)
  const isAsset = name.startsWith(ASSETS)
  const file = site.get(name) ?? (isAsset ? undefined : site.get('index.html'))
  return file ? { kind: 'file', file, isAsset } : { kind: 'nothing' }
}
