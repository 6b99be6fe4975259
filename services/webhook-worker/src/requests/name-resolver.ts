// Looks up the addresses of a name: in the hosts file first, as the system does, then from the name servers.
import { Resolver } from 'node:dns/promises'
import { openHosts } from './hosts-file.js'
import type { PinnedAddress, ResolveName } from './resolve-target.js'

/**
 * How long the answer of IPv6 may come after that of IPv4. Name servers and firewalls that drop the question for IPv6 are usual, and
 * the addresses of IPv4 suffice.
 */
const SIX_AFTER_FOUR_MS = 250

export interface NameResolverOptions {
  /** for one exchange with an endpoint; a question to the name servers has half of it */
  timeoutMs: number
  hostsFile?: string
  /** name servers instead of the system's, as `address:port` */
  servers?: readonly string[]
}

/** The addresses of both questions, or of the one that is answered in time. @throws the error of IPv4 when there is none */
function join(four: Promise<string[]>, six: Promise<string[]>, questionMs: number): Promise<PinnedAddress[]> {
  return new Promise((resolve, reject) => {
    const found: PinnedAddress[] = []
    let failure = new Error('no name server answers')
    let open = 2
    const end = () => {
      clearTimeout(timer)
      if (found.length > 0) resolve(found)
      else reject(failure)
    }
    let timer = setTimeout(end, questionMs)
    const note = (addresses: readonly string[], family: 4 | 6) => {
      found.push(...addresses.map(address => ({ address, family })))
      open -= 1
      if (open === 0) return end()
      if (family === 6 || addresses.length === 0) return
      clearTimeout(timer)
      timer = setTimeout(end, SIX_AFTER_FOUR_MS)
    }
    four.then(
      addresses => note(addresses, 4),
      (error: Error) => {
        failure = error
        note([], 4)
      },
    )
    six.then(
      addresses => note(addresses, 6),
      () => note([], 6),
    )
  })
}

/**
 * Asks the name servers directly. `dns.lookup` would queue in the four threads of libuv's pool, where one slow name
 * server could delay the deliveries of every other endpoint.
 */
export function buildNameResolver({ timeoutMs, hostsFile, servers }: NameResolverOptions): ResolveName {
  // A question that is lost is asked again after a twentieth of the exchange, then after twice that time, and so on.
  const resolver = new Resolver({ timeout: Math.max(100, Math.floor(timeoutMs / 20)), tries: 4 })
  if (servers) resolver.setServers(servers)
  const hosts = openHosts(hostsFile)
  return async name => {
    // No name server is asked for `localhost`, nor for the names below it.
    if (/(^|\.)localhost\.?$/.test(name)) return [{ address: '127.0.0.1', family: 4 }]
    return hosts(name) ?? join(resolver.resolve4(name), resolver.resolve6(name), timeoutMs / 2)
  }
}
