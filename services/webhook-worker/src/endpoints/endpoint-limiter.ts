// Decides when a request to an endpoint may be sent, so that one endpoint cannot take all concurrency slots of the
// worker. Each process keeps for each endpoint a cap of requests in flight, a cap of requests a second, and a breaker.
// With `fleet`, a process keeps its share of both caps, and the breaker judges by the answers to all processes: each process
// that asks the endpoint opens its breaker within a second of the others.
//
// An endpoint that has not answered yet, or whose last answer was a failure, is on probation: only few requests to that
// endpoint may be in flight. Many hanging endpoints together thus occupy few slots before their breakers open. One
// success ends the probation. Above the in-flight cap, a delivery first waits in the worker's memory for up to
// PATIENCE_MS, so that a burst passes without an update of its rows. The number of waiting deliveries is limited to the
// number that the endpoint answers within half of PATIENCE_MS at its present speed. A delivery that cannot wait is
// held: the delivery becomes `waiting` in Postgres and frees its slot.
//
// Held deliveries return one after another, at the speed of the endpoint. While requests hang, that speed is a guess: the
// endpoint may answer again at any moment. So the returns are never further apart than LONGEST_STEP_MS, and what was held
// during a hang is told soon after it. By the guess alone, payments of a hang of 30 s came up to 54 minutes after it. Behind
// an open breaker they return LONGEST_STEP_MS apart: 100,000 that all asked again each minute delayed others by 2 s.
import { DeliveryBreaker } from '@payment-tracking/domain'
import type { AnswerCounts, AnswerDelta } from '@payment-tracking/redis'

/** What a process knows of the others. */
export interface EndpointFleet {
  /** This process's part of a cap: 0 while it has none. */
  shareOf(cap: number, webhookId: string): number
  /** Its part of a rate, 0 to 1. */
  rateShare(): number
  /** how long after its pass a request may begin */
  beginWithinMs: number
}

/** A process for itself. */
const ALONE: EndpointFleet = { shareOf: cap => cap, rateShare: () => 1, beginWithinMs: Infinity }

export interface EndpointLimits {
  maxInFlight: number
  maxPerSecond: number
  /**
   * the most deliveries that may wait for one endpoint, at any speed: each occupies a slot, and the endpoint may hang
   */
  maxQueued: number
}

export type HoldReason = 'in-flight cap' | 'rate cap' | 'breaker open'

/** The holder must leave a pass exactly once. */
export interface Pass {
  kind: 'go'
  /**
   * Whether the request may still begin: with a fleet, the share that the pass belongs to may end while Postgres claims the
   * row, or while the process is paused.
   */
  mayBegin(): boolean
  /** @param succeeded null when no request was made */
  leave(succeeded: boolean | null): void
}

export type Entry = Pass | { kind: 'hold'; forMs: number; reason: HoldReason }

const PROBATION_IN_FLIGHT = 4
/** How long a delivery may wait in the worker's memory. */
const PATIENCE_MS = 250
/** The longest time between the returns of two held deliveries: 100 of them ask again in a second. */
const LONGEST_STEP_MS = 10
/** How much longer than PATIENCE_MS a delivery is held at most when no other one is held: few that are held ask seldom. */
const LONGEST_REST_MS = 5_000
/** How long deliveries are held while a probe is on its way. */
const PROBE_HOLD_MS = 2_000
/** An endpoint hangs when a request takes this many times the average. */
const HANGING = 4
const IDLE_FORGET_MS = 900_000
const JITTER_MS = 500

interface Endpoint {
  webhookId: string
  /** answers that the other processes were not told of */
  untold: AnswerDelta
  breaker: DeliveryBreaker
  /** requests in flight, oldest first */
  inFlight: Set<{ startedMs: number }>
  trusted: boolean
  /** deliveries that wait in memory for a request to end, oldest first */
  queue: ((entry: Entry) => void)[]
  /** the earliest time of the next request under the rate cap */
  nextAtMs: number
  /** the part of the rate by which `nextAtMs` was counted */
  rateShare: number
  /** when the next held delivery may return: one after another, at the speed of the endpoint */
  nextReturnMs: number
  averageMs: number
  usedAtMs: number
}

export interface EndpointLimiter {
  enter(webhookId: string): Promise<Entry>
  /**
   * For a delivery that was held for so long that it must be tried now: no breaker holds it any more. A cap that counts over
   * all processes still does.
   */
  force(webhookId: string): Entry
  /** Endpoints whose breaker is open. */
  countOpen(): number
  /** Forgets endpoints without recent requests. */
  forgetIdle(): void
  /** Whether the requests in flight are within the share of now, for every endpoint. */
  fits(): boolean
  /** The answers since the last call, by endpoint. */
  takeAnswers(): Map<string, AnswerDelta>
  /** Judges an endpoint by the answers to all processes. */
  judge(webhookId: string, counts: AnswerCounts): void
}

const NOTHING: AnswerDelta = { made: 0, failed: 0, isReset: false }

/** @param clock.now milliseconds from a clock that never goes back */
export function buildEndpointLimiter(
  limits: EndpointLimits,
  clock: { now: () => number; chance: () => number },
  fleet = ALONE,
): EndpointLimiter {
  const endpoints = new Map<string, Endpoint>()

  const endpointOf = (webhookId: string): Endpoint => {
    let endpoint = endpoints.get(webhookId)
    if (!endpoint) {
      endpoint = {
        webhookId,
        untold: NOTHING,
        breaker: new DeliveryBreaker(),
        inFlight: new Set(),
        trusted: false,
        queue: [],
        nextAtMs: 0,
        rateShare: fleet === ALONE ? 1 : 0,
        nextReturnMs: 0,
        averageMs: 100,
        usedAtMs: 0,
      }
      endpoints.set(webhookId, endpoint)
    }
    endpoint.usedAtMs = clock.now()
    return endpoint
  }

  const shareOf = (endpoint: Endpoint): number => fleet.shareOf(limits.maxInFlight, endpoint.webhookId)

  const capOf = (endpoint: Endpoint): number =>
    endpoint.trusted ? shareOf(endpoint) : Math.min(PROBATION_IN_FLIGHT, shareOf(endpoint))

  /** The present duration of a request. A hanging endpoint shows in this value before any request has ended. */
  const answersInMs = ({ inFlight: [oldest], averageMs }: Endpoint): number => {
    const ageMs = oldest === undefined ? 0 : clock.now() - oldest.startedMs
    return ageMs > HANGING * averageMs ? ageMs : averageMs
  }

  /** How many deliveries may wait: as many as the endpoint answers within half of PATIENCE_MS. */
  const queueLimitOf = (endpoint: Endpoint): number =>
    Math.min(limits.maxQueued, Math.ceil((capOf(endpoint) * PATIENCE_MS) / 2 / answersInMs(endpoint)))

  const holdBy = (reason: HoldReason, holdMs: number): Entry => ({
    kind: 'hold',
    forMs: Math.ceil(holdMs + clock.chance() * JITTER_MS),
    reason,
  })

  const holdByCap = (endpoint: Endpoint): Entry => {
    const now = clock.now()
    // Twice the speed of the endpoint's answers, so that the endpoint's queue never runs empty.
    const guessMs = answersInMs(endpoint) / Math.max(1, capOf(endpoint)) / 2
    const stepMs = Math.max(Math.min(guessMs, LONGEST_STEP_MS), 1_000 / limits.maxPerSecond)
    const restMs = Math.min(4 * guessMs, LONGEST_REST_MS)
    endpoint.nextReturnMs = Math.max(now + PATIENCE_MS + restMs, endpoint.nextReturnMs) + stepMs
    return holdBy('in-flight cap', endpoint.nextReturnMs - now)
  }

  const holdByBreaker = (endpoint: Endpoint, holdMs: number): Entry => {
    const now = clock.now()
    endpoint.nextReturnMs = Math.max(now + holdMs, endpoint.nextReturnMs + LONGEST_STEP_MS)
    return holdBy('breaker open', endpoint.nextReturnMs - now)
  }

  const pass = (endpoint: Endpoint, probe: boolean): Pass => {
    const request = { startedMs: clock.now() }
    endpoint.inFlight.add(request)
    return {
      kind: 'go',
      mayBegin: () => clock.now() - request.startedMs <= fleet.beginWithinMs,
      leave: succeeded => {
        if (!endpoint.inFlight.delete(request)) return
        const now = clock.now()
        if (succeeded !== null) {
          const { made, failed, isReset } = endpoint.untold
          endpoint.untold =
            probe && succeeded
              ? { ...NOTHING, isReset: true }
              : { made: made + 1, failed: failed + (succeeded ? 0 : 1), isReset }
          endpoint.trusted = succeeded
          endpoint.averageMs += (now - request.startedMs - endpoint.averageMs) / 8
          endpoint.breaker.note(now, succeeded, probe)
        } else if (probe) endpoint.breaker.forgoProbe()
        admitQueued(endpoint)
      },
    }
  }

  /** Takes a request from the rate cap, or holds. A burst may use the allowance of one second. */
  const takeFromRate = (endpoint: Endpoint, now: number): Entry | null => {
    const share = fleet.rateShare()
    // The lease ended since the in-flight cap was looked at.
    if (share === 0) return holdByCap(endpoint)
    const intervalMs = 1_000 / (limits.maxPerSecond * share)
    // The allowance of the time before a share grew belonged to another process.
    if (share > endpoint.rateShare) endpoint.nextAtMs = Math.max(endpoint.nextAtMs, now - intervalMs)
    endpoint.rateShare = share
    const nextAtMs = Math.max(endpoint.nextAtMs, now - 1_000) + intervalMs
    if (nextAtMs > now) {
      endpoint.nextReturnMs = Math.max(now + PATIENCE_MS, endpoint.nextReturnMs + intervalMs)
      return holdBy('rate cap', endpoint.nextReturnMs - now)
    }
    endpoint.nextAtMs = nextAtMs
    return null
  }

  /** Breaker and rate cap; the caller has checked the in-flight cap. */
  const admit = (endpoint: Endpoint): Entry => {
    const now = clock.now()
    const answer = endpoint.breaker.ask(now)
    if (answer.kind === 'hold') return holdByBreaker(endpoint, answer.holdMs || PROBE_HOLD_MS)
    // A probe is one request in a minute.
    const held = answer.kind === 'probe' ? null : takeFromRate(endpoint, now)
    return held ?? pass(endpoint, answer.kind === 'probe')
  }

  const admitQueued = (endpoint: Endpoint): void => {
    while (endpoint.queue.length > 0 && endpoint.inFlight.size < capOf(endpoint)) {
      endpoint.queue.shift()?.(admit(endpoint))
    }
  }

  return {
    enter: webhookId => {
      const endpoint = endpointOf(webhookId)
      if (endpoint.inFlight.size < capOf(endpoint)) return Promise.resolve(admit(endpoint))
      if (endpoint.queue.length >= queueLimitOf(endpoint)) return Promise.resolve(holdByCap(endpoint))
      return new Promise(resolve => {
        const proceed = (entry: Entry) => {
          clearTimeout(timer)
          resolve(entry)
        }
        const timer = setTimeout(() => {
          endpoint.queue.splice(endpoint.queue.indexOf(proceed), 1)
          resolve(holdByCap(endpoint))
        }, PATIENCE_MS)
        endpoint.queue.push(proceed)
      })
    },
    force: webhookId => {
      const endpoint = endpointOf(webhookId)
      if (fleet === ALONE) return pass(endpoint, false)
      if (endpoint.inFlight.size >= shareOf(endpoint)) return holdByCap(endpoint)
      return takeFromRate(endpoint, clock.now()) ?? pass(endpoint, false)
    },
    countOpen: () => {
      const now = clock.now()
      return [...endpoints.values()].filter(endpoint => endpoint.breaker.isOpen(now)).length
    },
    fits: () => {
      for (const endpoint of endpoints.values()) if (endpoint.inFlight.size > shareOf(endpoint)) return false
      return true
    },
    takeAnswers: () => {
      const answers = new Map<string, AnswerDelta>()
      for (const endpoint of endpoints.values()) {
        if (endpoint.untold === NOTHING) continue
        answers.set(endpoint.webhookId, endpoint.untold)
        endpoint.untold = NOTHING
      }
      return answers
    },
    judge: (webhookId, { made, failed }) =>
      endpoints.get(webhookId)?.breaker.judge(clock.now(), made, failed),
    forgetIdle: () => {
      const before = clock.now() - IDLE_FORGET_MS
      for (const [id, endpoint] of endpoints) {
        if (endpoint.inFlight.size === 0 && endpoint.queue.length === 0 && endpoint.usedAtMs < before)
          endpoints.delete(id)
      }
    },
  }
}
