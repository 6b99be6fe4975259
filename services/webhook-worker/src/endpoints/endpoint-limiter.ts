// Decides when a request to an endpoint may be sent, so that one endpoint cannot take all concurrency slots of the
// worker. Each process keeps for each endpoint a cap of requests in flight, a cap of requests a second, and a breaker. The rate
// that a gateway chose for its endpoint counts over all processes (chosen-rates.ts).
//
// An endpoint that has not answered yet, or that did not answer its last request, is on probation: only few requests to that
// endpoint may be in flight. Many hanging endpoints together thus occupy few slots before their breakers open. One
// answer ends the probation. Above the in-flight cap, a delivery first waits in the worker's memory, so that a burst passes
// without an update of its rows: for PATIENCE_MS, and on while the endpoint is out of probation and answers. The number of
// waiting deliveries is limited to the number that the endpoint answers within PATIENCE_MS at its present speed. A delivery
// that cannot wait is deferred: the delivery becomes `waiting` in Postgres and frees its slot.
//
// A permit allows the worker to claim a delivery. Only the request counts as in flight. The endpoint must not wait for claims in
// Postgres, so there are more permits than the in-flight cap: as many more as the endpoint answers during two claims, or as can
// end at once. A claimed delivery is sent when another request ends. `Permit.acquire` is the one gate between the claim and the
// request; what it defers gives its claim back: no request ended within PATIENCE_MS, the breaker opened, or there is no slot of
// the chosen rate.
//
// Deferred deliveries return one after another, at the speed of the endpoint. While requests hang, that speed is a guess: the
// endpoint may answer again at any moment. So the returns are never further apart than LONGEST_STEP_MS, and what was deferred
// during a hang is sent soon after it. By the guess alone, payments of a hang of 30 s came up to 54 minutes after it. Behind
// an open breaker they return LONGEST_STEP_MS apart: 100,000 that all asked again each minute delayed others by 2 s.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChosenRates } from './chosen-rates.js'
import { newEndpoint, type Endpoint, type Request } from './endpoint.js'
import type { EndpointLimiter, EndpointLimits, Entry, Deferral, DeferReason, Permit } from './permits.js'

const PROBATION_IN_FLIGHT = 4
/** How long a delivery may wait in the worker's memory for an endpoint that does not answer. */
const PATIENCE_MS = 250
/** How long at most, for any endpoint: before a sweeper misses it. */
const LONGEST_PATIENCE_MS = 3_000
/** The longest time between the returns of two deferred deliveries: 100 of them ask again in a second. */
const LONGEST_STEP_MS = 10
/** How much longer than PATIENCE_MS a delivery is deferred at most when no other one is deferred: few that are deferred ask seldom. */
const LONGEST_BACKOFF_MS = 5_000
/** How long deliveries are deferred while a probe is on its way. */
const PROBE_DEFER_MS = 2_000
/** An endpoint hangs when a request takes this many times the average. */
const HANGING = 4
const IDLE_FORGET_MS = 900_000
const JITTER_MS = 500

/** @param clock.now milliseconds from a clock that never goes back */
export function buildEndpointLimiter(
  limits: EndpointLimits,
  clock: { now: () => number; chance: () => number },
  rates: ChosenRates,
): EndpointLimiter {
  const endpoints = new Map<string, Endpoint>()

  const endpointOf = (webhookId: string): Endpoint => {
    let endpoint = endpoints.get(webhookId)
    if (!endpoint) {
      endpoint = newEndpoint(webhookId, PATIENCE_MS)
      endpoints.set(webhookId, endpoint)
    }
    endpoint.usedAtMs = clock.now()
    return endpoint
  }

  const capOf = (endpoint: Endpoint): number =>
    endpoint.trusted ? limits.maxInFlight : Math.min(PROBATION_IN_FLIGHT, limits.maxInFlight)

  /** The present duration of a request. A hanging endpoint shows in this value before any request has ended. */
  const answersInMs = ({ inFlight: [oldest], averageMs }: Endpoint): number => {
    const ageMs = oldest === undefined ? 0 : clock.now() - oldest.startedMs
    return ageMs > HANGING * averageMs ? ageMs : averageMs
  }

  /** How many requests the endpoint answers in a time. */
  const answersWithin = (endpoint: Endpoint, ms: number): number =>
    (capOf(endpoint) * ms) / answersInMs(endpoint)

  /** How many deliveries may wait: as many as the endpoint answers within PATIENCE_MS, on probation within half of it. */
  const queueLimitOf = (endpoint: Endpoint): number => {
    const withinMs = endpoint.trusted ? PATIENCE_MS : PATIENCE_MS / 2
    return Math.min(limits.maxQueued, Math.ceil(answersWithin(endpoint, withinMs)))
  }

  /** How many permits there may be. */
  const passLimitOf = (endpoint: Endpoint): number => {
    const cap = capOf(endpoint)
    if (!endpoint.trusted) return cap
    const duringClaims = answersWithin(endpoint, Math.min(2 * endpoint.claimMs, PATIENCE_MS / 2))
    // Requests that began together end together.
    const atOnce = Math.min(cap, answersWithin(endpoint, PATIENCE_MS / 2))
    return cap + Math.min(limits.maxQueued, Math.floor(Math.max(duringClaims, atOnce)))
  }

  const deferBy = (reason: DeferReason, deferMs: number): Deferral => ({
    kind: 'defer',
    forMs: Math.ceil(deferMs + clock.chance() * JITTER_MS),
    reason,
  })

  const deferByCap = (endpoint: Endpoint): Deferral => {
    const now = clock.now()
    // Twice the speed of the endpoint's answers, so that the endpoint's queue never runs empty.
    const guessMs = answersInMs(endpoint) / Math.max(1, capOf(endpoint)) / 2
    const stepMs = Math.max(Math.min(guessMs, LONGEST_STEP_MS), 1_000 / limits.maxPerSecond)
    const backoffMs = Math.min(4 * guessMs, LONGEST_BACKOFF_MS)
    endpoint.nextReturnMs = Math.max(now + PATIENCE_MS + backoffMs, endpoint.nextReturnMs) + stepMs
    return deferBy('in-flight cap', endpoint.nextReturnMs - now)
  }

  const deferByBreaker = (endpoint: Endpoint): Deferral => {
    const now = clock.now()
    const { breaker, pausedBy } = endpoint
    const deferMs = breaker.openForMs(now) || PROBE_DEFER_MS
    endpoint.nextReturnMs = Math.max(now + deferMs, endpoint.nextReturnMs + LONGEST_STEP_MS)
    return deferBy(breaker.isPaused ? pausedBy : 'breaker open', endpoint.nextReturnMs - now)
  }

  const start = (endpoint: Endpoint): Request => {
    const request = { startedMs: clock.now() }
    endpoint.inFlight.add(request)
    return request
  }

  /** Lets go on what waited for a request to end. */
  const advance = (endpoint: Endpoint): void => {
    while (endpoint.claimed.length > 0 && endpoint.inFlight.size < capOf(endpoint)) endpoint.claimed.next()
    while (endpoint.queue.length > 0 && endpoint.permits < passLimitOf(endpoint)) endpoint.queue.next()
  }

  /** Deferring would only cost more while the endpoint answers: this process is what is slow. */
  const waitsOn = (endpoint: Endpoint, sinceMs: number): boolean => {
    const now = clock.now()
    return (
      endpoint.trusted && now - endpoint.answeredAtMs < PATIENCE_MS && now - sinceMs < LONGEST_PATIENCE_MS
    )
  }

  const note = (endpoint: Endpoint, { startedMs }: Request, answered: boolean, isProbe: boolean): void => {
    const now = clock.now()
    endpoint.trusted = answered
    endpoint.answeredAtMs = now
    endpoint.averageMs += (now - startedMs - endpoint.averageMs) / 8
    endpoint.breaker.note(now, answered, isProbe)
  }

  /** Waits for a slot of the rate that the gateway chose, if that is soon. @returns null: it is there */
  const waitForSlot = async ({ webhookId, ratePerSecond }: Endpoint): Promise<Deferral | null> => {
    if (ratePerSecond === null) return null
    const { free, inMs } = await rates.take({ id: webhookId, perSecond: ratePerSecond })
    if (!free) return { kind: 'defer', forMs: inMs, reason: 'rate cap' }
    if (inMs > 0) await sleep(inMs)
    return null
  }

  /** Counts a request as in flight, once the cap allows it. @returns null when that takes too long */
  const waitToStart = async (endpoint: Endpoint): Promise<Request | null> =>
    endpoint.inFlight.size < capOf(endpoint)
      ? start(endpoint)
      : endpoint.claimed.wait(
          () => start(endpoint),
          () => null,
        )

  const permitOf = (endpoint: Endpoint, as: 'usual' | 'probe' | 'forced', hasSlot: boolean): Permit => {
    const givenMs = clock.now()
    let request: Request | null = null
    let isLeft = false
    endpoint.permits++

    const acquire = async (ratePerSecond: number | null): Promise<Deferral | null> => {
      endpoint.claimMs += (clock.now() - givenMs - endpoint.claimMs) / 8
      endpoint.ratePerSecond = ratePerSecond
      const deferred = hasSlot ? null : await waitForSlot(endpoint)
      if (deferred) return deferred
      request = as === 'forced' ? start(endpoint) : await waitToStart(endpoint)
      if (!request) return deferByCap(endpoint)
      const now = clock.now()
      // Since the permit was given, other requests have opened the breaker.
      if (as === 'usual' && !endpoint.breaker.isClosed) return deferByBreaker(endpoint)
      return now - givenMs > limits.beginWithinMs ? deferByCap(endpoint) : null
    }

    return {
      kind: 'go',
      acquire,
      pause: async ({ forMs, reason }) => {
        endpoint.breaker.pause(clock.now(), forMs)
        endpoint.pausedBy = reason
        if (reason === 'rate cap') await rates.pause(endpoint.webhookId, forMs)
      },
      leave: answered => {
        if (isLeft) return
        isLeft = true
        endpoint.permits--
        if (request) endpoint.inFlight.delete(request)
        if (request && answered !== null) note(endpoint, request, answered, as === 'probe')
        else if (as === 'probe') endpoint.breaker.forgoProbe()
        advance(endpoint)
      },
    }
  }

  /** Takes a request from the rate cap of this process, or defers. A burst may use the allowance of one second. */
  const takeFromRate = (endpoint: Endpoint, now: number): Deferral | null => {
    const intervalMs = 1_000 / limits.maxPerSecond
    const nextAtMs = Math.max(endpoint.nextAtMs, now - 1_000) + intervalMs
    if (nextAtMs > now) {
      endpoint.nextReturnMs = Math.max(now + PATIENCE_MS, endpoint.nextReturnMs + intervalMs)
      return deferBy('rate cap', endpoint.nextReturnMs - now)
    }
    endpoint.nextAtMs = nextAtMs
    return null
  }

  /** Breaker and rate cap; the caller has checked the limit of passes. */
  const admit = (endpoint: Endpoint, hasSlot: boolean): Entry => {
    const now = clock.now()
    const answer = endpoint.breaker.ask(now)
    if (answer.kind === 'defer') return deferByBreaker(endpoint)
    // A probe is one request in a minute.
    const deferred = answer.kind === 'probe' ? null : takeFromRate(endpoint, now)
    return deferred ?? permitOf(endpoint, answer.kind === 'probe' ? 'probe' : 'usual', hasSlot)
  }

  const enterAlone = (endpoint: Endpoint, hasSlot: boolean): Entry | Promise<Entry> => {
    if (endpoint.permits < passLimitOf(endpoint)) return admit(endpoint, hasSlot)
    if (endpoint.queue.length >= queueLimitOf(endpoint)) return deferByCap(endpoint)
    const sinceMs = clock.now()
    return endpoint.queue.wait(
      () => admit(endpoint, hasSlot),
      () => (waitsOn(endpoint, sinceMs) ? undefined : deferByCap(endpoint)),
    )
  }

  return {
    enter: async webhookId => {
      const endpoint = endpointOf(webhookId)
      // What an open breaker defers needs no slot.
      const hasSlot = endpoint.ratePerSecond !== null && !endpoint.breaker.isOpen(clock.now())
      return (hasSlot ? await waitForSlot(endpoint) : null) ?? enterAlone(endpoint, hasSlot)
    },
    force: webhookId => permitOf(endpointOf(webhookId), 'forced', false),
    countOpen: () => {
      const now = clock.now()
      return [...endpoints.values()].filter(endpoint => endpoint.breaker.isOpen(now)).length
    },
    forgetIdle: () => {
      const before = clock.now() - IDLE_FORGET_MS
      for (const [id, endpoint] of endpoints) {
        if (endpoint.permits === 0 && endpoint.queue.length === 0 && endpoint.usedAtMs < before)
          endpoints.delete(id)
      }
    },
  }
}
