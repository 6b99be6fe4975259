import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import type { PinnedAddress } from './resolve-target.js'

const CHECK_EVERY_MS = 5_000

/** The addresses of each name, in lower case. Lines without an address and names are passed over. */
function readHosts(text: string): Map<string, PinnedAddress[]> {
  const hosts = new Map<string, PinnedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    // An address with a zone is of this machine's own network.
    if (!isIP(address) || address.includes('%')) continue
    const family = isIP(address) === 6 ? 6 : 4
    for (const name of names.map(each => each.toLowerCase())) {
      const known = hosts.get(name)
      if (known) known.push({ address, family })
      else hosts.set(name, [{ address, family }])
    }
  }
  return hosts
}

/**
 * Looks names up in a hosts file, which is read again when it has changed, within 5 s.
 * @returns for a name that the file does not have: undefined
 */
export function openHosts(file = '/etc/hosts'): (name: string) => PinnedAddress[] | undefined {
  let hosts = new Map<string, PinnedAddress[]>()
  let checkAtMs = 0
  let version = ''
  const check = () => {
    const found = statSync(file, { throwIfNoEntry: false })
    const now = found ? `${found.mtimeMs} ${found.size} ${found.ino}` : ''
    if (now === version) return
    hosts = readHosts(found ? readFileSync(file, 'utf8') : '')
    version = now
  }
  return name => {
    if (performance.now() >= checkAtMs) {
      checkAtMs = performance.now() + CHECK_EVERY_MS
      try {
        check()
      } catch {
        // A file that cannot be read has no names, as for the system.
      }
    }
    return hosts.get(name.toLowerCase().replace(/\.$/, ''))
  }
}
