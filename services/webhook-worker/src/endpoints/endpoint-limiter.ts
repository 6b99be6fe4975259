// Decides when a request to an endpoint may be sent. Each process keeps for each endpoint a breaker, a pace and a number of requests
// in flight, and asks them in this order. A delivery is claimed once it may go, so no claim is given back because of them.
import { Breaker } from './breaker.js'
import type { ChosenRates } from './chosen-rates.js'
import { InFlight, type Place } from './in-flight.js'
import { Pacing } from './pacing.js'
import type { Clock, EndpointLimiter, EndpointLimits, Permit } from './permits.js'

const IDLE_FORGET_MS = 900_000

interface Endpoint {
  breaker: Breaker
  pacing: Pacing
  inFlight: InFlight
  usedAtMs: number
}

function permitOf({ breaker, pacing, inFlight }: Endpoint, place: Place, isProbe: boolean): Permit {
  let isLeft = false
  return {
    kind: 'go',
    begin: () => inFlight.begin(place),
    pause: async deferral => {
      breaker.pause(deferral)
      if (deferral.reason === 'rate cap') await pacing.pause(deferral.forMs)
    },
    leave: answered => {
      if (isLeft) return
      isLeft = true
      if (answered !== null) breaker.note(answered, isProbe)
      else if (isProbe) breaker.forgoProbe()
      inFlight.leave(place, answered)
    },
  }
}

export function buildEndpointLimiter(
  limits: EndpointLimits,
  clock: Clock,
  rates: ChosenRates,
  readRate: (webhookId: string) => Promise<number | null>,
): EndpointLimiter {
  const endpoints = new Map<string, Endpoint>()

  const endpointOf = (webhookId: string): Endpoint => {
    let endpoint = endpoints.get(webhookId)
    if (!endpoint) {
      endpoint = {
        breaker: new Breaker(clock),
        pacing: new Pacing({ webhookId, maxPerSecond: limits.maxPerSecond, rates, readRate }, clock),
        inFlight: new InFlight(limits, clock),
        usedAtMs: 0,
      }
      endpoints.set(webhookId, endpoint)
    }
    endpoint.usedAtMs = clock.now()
    return endpoint
  }

  return {
    enter: async (webhookId, isForced = false) => {
      const endpoint = endpointOf(webhookId)
      const { breaker, pacing, inFlight } = endpoint
      await pacing.learn()
      if (isForced) return (await pacing.takeChosen()) ?? permitOf(endpoint, inFlight.start(), false)
      const asked = breaker.ask()
      if (typeof asked === 'object') return asked
      const isProbe = asked === 'probe'
      // A probe is one request in a minute.
      const paced = (await pacing.takeChosen()) ?? (isProbe ? null : pacing.takeOwn())
      const place = paced ?? (await inFlight.enter())
      if ('kind' in place) {
        if (isProbe) breaker.forgoProbe()
        return place
      }
      const permit = permitOf(endpoint, place, isProbe)
      // While this one waited, others have opened the breaker.
      if (isProbe || breaker.isClosed) return permit
      permit.leave(null)
      return breaker.defer()
    },
    setRate: (webhookId, perSecond) => endpointOf(webhookId).pacing.setRate(perSecond),
    forget: webhookIds => {
      for (const id of webhookIds) endpoints.delete(id)
    },
    countOpen: () => [...endpoints.values()].filter(({ breaker }) => breaker.isOpen).length,
    forgetIdle: () => {
      const before = clock.now() - IDLE_FORGET_MS
      for (const [id, { inFlight, usedAtMs }] of endpoints)
        if (inFlight.isIdle && usedAtMs < before) endpoints.delete(id)
    },
  }
}
