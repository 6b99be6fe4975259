// What the tile of endpoints says.
import type { Endpoint } from '../gateway/endpoint-words.js'

type Judged = Pick<Endpoint, 'health' | 'requests' | 'acceptedRequests'>

/** `1 of 2 fails`, by the health that the service tells. */
export function healthWords(endpoints: readonly Judged[]): string {
  if (endpoints.length === 0) return 'none yet'
  const of = (health: Judged['health']) => endpoints.filter(each => each.health === health).length
  const active = endpoints.length - of('off')
  const failing = of('failing')
  if (active === 0) return 'none active'
  if (failing > 0) return `${failing} of ${active} ${failing === 1 ? 'fails' : 'fail'}`
  return of('healthy') === 0 ? `${active} untried` : `${of('healthy')} healthy`
}

/** Requests, not deliveries: one that arrived at its third try failed twice, and no replay undoes that. */
export function requestWords(endpoints: readonly Judged[]): string {
  if (endpoints.length === 0) return 'add one to be told of payments'
  const sum = (pick: (each: Judged) => number | bigint) =>
    endpoints.reduce((all, each) => all + Number(pick(each)), 0)
  const requests = sum(each => each.requests)
  if (requests === 0) return 'no request in 24 hours'
  const failed = requests - sum(each => each.acceptedRequests)
  const [some, all] = [failed, requests].map(number => number.toLocaleString('en-US'))
  return `${failed === 0 ? 'none' : some} of ${all} ${requests === 1 ? 'request' : 'requests'} failed in 24 hours`
}
