// Plans the clients, their tracking IDs, and the times of their connections.
import { buildRandom } from '@payment-tracking/testkit'

export interface ClientPlan {
  name: string
  trackingIds: string[]
  /** `steady` stays; `comer` comes and goes; `contender` is one of too many for one tracking ID */
  kind: 'steady' | 'comer' | 'contender'
  /** Forgets everything when its connection ends, like a reloaded page. */
  forgets: boolean
  /** When it is there, in order. */
  stays: { fromMs: number; toMs: number }[]
}

/** The tracking ID that more clients want than may have it. */
export const SIEGED_TRACKING_ID = 'siege'

/** Fewer than there are seats: none of these clients may be refused for long. */
const MOST_FOLLOWERS = 3

const STEADY = 4
const COMERS = 6
const CONTENDERS = 8

export function planClients(seed: string, lengthMs: number, trackingIds: readonly string[]): ClientPlan[] {
  const random = buildRandom(seed, 'sockets')
  const followers = new Map(trackingIds.map(trackingId => [trackingId, 0]))
  const one = (): string => {
    const free = trackingIds.filter(trackingId => followers.get(trackingId)! < MOST_FOLLOWERS)
    const trackingId = random.pick(free)
    followers.set(trackingId, followers.get(trackingId)! + 1)
    return trackingId
  }
  const some = (): string[] => [...new Set([one(), one()])]
  const always = [{ fromMs: 0, toMs: lengthMs }]
  const steady = Array.from({ length: STEADY }, (_, index): ClientPlan => ({
    name: `steady-${index + 1}`,
    trackingIds: some(),
    kind: 'steady',
    forgets: false,
    stays: always,
  }))
  const comers = Array.from({ length: COMERS }, (_, index): ClientPlan => {
    const stays = []
    for (let at = random.between(0, 4_000); at < lengthMs; at += random.between(300, 4_000)) {
      const toMs = at + random.between(500, 8_000)
      stays.push({ fromMs: at, toMs: Math.min(toMs, lengthMs) })
      at = toMs
    }
    return {
      name: `comer-${index + 1}`,
      trackingIds: some(),
      kind: 'comer',
      forgets: random.chance(0.4),
      stays,
    }
  })
  const contenders = Array.from({ length: CONTENDERS }, (_, index): ClientPlan => ({
    name: `contender-${index + 1}`,
    trackingIds: [SIEGED_TRACKING_ID],
    kind: 'contender',
    forgets: false,
    stays: always,
  }))
  return [...steady, ...comers, ...contenders]
}
