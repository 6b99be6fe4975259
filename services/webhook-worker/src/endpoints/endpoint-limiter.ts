// Decides when a request to an endpoint may be sent. Each process keeps for each endpoint a breaker, a pace and a number of requests
// in flight, and asks them in this order. A delivery is claimed once it may go, so no claim is given back because of them.
//
// What found no place comes again by itself, at a guess. An answer of the endpoint proves the guess wrong: it recalls as many as
// there is room for. Else a stall of a second would leave a backlog that returns at 100 a second.
import { Breaker } from './breaker.js'
import type { ChosenRates } from './chosen-rates.js'
import { InFlight, type Place } from './in-flight.js'
import { Pacing } from './pacing.js'
import {
  RECALLED,
  type Clock,
  type Deferral,
  type EndpointLimiter,
  type EndpointLimits,
  type Entry,
  type Permit,
} from './permits.js'

const IDLE_FORGET_MS = 900_000
const RECALL_EVERY_MS = 100

interface Endpoint {
  breaker: Breaker
  pacing: Pacing
  inFlight: InFlight
  usedAtMs: number
  /** when the last of those that were deferred comes by itself */
  returnsByMs: number
  recalledAtMs: number
}

function permitOf(
  { breaker, pacing, inFlight }: Endpoint,
  place: Place,
  isProbe: boolean,
  onAnswer: () => void,
): Permit {
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
      if (answered) onAnswer()
    },
  }
}

export function buildEndpointLimiter(
  limits: EndpointLimits,
  clock: Clock,
  rates: ChosenRates,
  readRate: (webhookId: string) => Promise<number | null>,
  recall: (webhookId: string, most: number) => Promise<number>,
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
        returnsByMs: 0,
        recalledAtMs: 0,
      }
      endpoints.set(webhookId, endpoint)
    }
    endpoint.usedAtMs = clock.now()
    return endpoint
  }

  const noteReturn = (endpoint: Endpoint, { reason, forMs }: Deferral) => {
    if (reason === RECALLED) endpoint.returnsByMs = Math.max(endpoint.returnsByMs, clock.now() + forMs)
  }

  /** What is deferred at this moment, or not to be read now, comes by itself. */
  const recallTo = (webhookId: string, endpoint: Endpoint) => {
    const { breaker, inFlight, returnsByMs, recalledAtMs } = endpoint
    const now = clock.now()
    const { room } = inFlight
    if (room === 0 || !breaker.isClosed || now >= returnsByMs || now < recalledAtMs + RECALL_EVERY_MS) return
    endpoint.recalledAtMs = now
    recall(webhookId, room).then(
      found => {
        if (found === 0) endpoint.returnsByMs = 0
      },
      () => {},
    )
  }

  const tryEnter = async (webhookId: string, endpoint: Endpoint, isForced: boolean): Promise<Entry> => {
    const { breaker, pacing, inFlight } = endpoint
    const permit = (place: Place, isProbe: boolean) =>
      permitOf(endpoint, place, isProbe, () => recallTo(webhookId, endpoint))
    await pacing.learn()
    if (isForced) return (await pacing.takeChosen()) ?? permit(inFlight.start(), false)
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
    const given = permit(place, isProbe)
    // While this one waited, others have opened the breaker.
    if (isProbe || breaker.isClosed) return given
    given.leave(null)
    return breaker.defer()
  }

  return {
    enter: async (webhookId, isForced = false) => {
      const endpoint = endpointOf(webhookId)
      const entry = await tryEnter(webhookId, endpoint, isForced)
      if (entry.kind === 'defer') noteReturn(endpoint, entry)
      return entry
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
