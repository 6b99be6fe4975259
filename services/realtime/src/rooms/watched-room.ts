// What one room was sent of its policies, and what the last check of them saw.
//
//   no baseline --baseline(policies)--> watched
//
// Announcements are sent in both states. Checks compare only watched rooms: a change that the baseline holds already
// happened before the subscription.
//
// Memory is bounded by MOST_REMEMBERED for each of: ids that were sent, policies whose creation was announced since the
// last check, and deleted policies. Beside these, a room keeps one row for each living policy of its tracking ID.
import {
  lifecycleMessageId,
  lifecyclesBetween,
  type LifecycleDifference,
  type TrackedPolicy,
} from '@payment-tracking/domain'
import { RecentValues } from './recent-values.js'

/** An id takes about 100 bytes. A room with more changes than this between a check and a late announcement hears one twice. */
const MOST_REMEMBERED = 1_000

/** A change that a check saw. */
export interface SeenChange {
  /** the id of its message */
  id: string
  policy: TrackedPolicy
  difference: LifecycleDifference
}

export class WatchedRoom {
  /** by address; null before the baseline */
  #known: ReadonlyMap<string, TrackedPolicy> | null = null
  readonly #sent = new RecentValues(MOST_REMEMBERED)
  readonly #created = new RecentValues(MOST_REMEMBERED)

  constructor(private readonly trackingId: string) {}

  get hasBaseline(): boolean {
    return this.#known !== null
  }

  /** Sets the policies that were read after the room had a subscriber. Only the first call counts: it holds fewer changes. */
  baseline(policies: readonly TrackedPolicy[]): void {
    this.#known ??= byAddress(policies)
  }

  hasSent(id: string): boolean {
    return this.#sent.has(id)
  }

  noteSent(id: string): void {
    this.#sent.add(id)
  }

  /**
   * A policy of the room was created. The next check reads the policy even if the policy was deleted meanwhile, and so
   * finds a deletion whose announcement was lost.
   */
  noteCreated(address: string): void {
    this.#created.add(address)
  }

  /** The policies that a check must read whether they live or not. */
  addresses(): string[] {
    return [...new Set([...this.#known!.keys(), ...this.#created.all()])]
  }

  /**
   * @param asked what `addresses` answered before the check
   * @param policies what the check read, of every room
   * @returns what happened since the last check, sent or not
   */
  compare(asked: readonly string[], policies: Policies): { changes: SeenChange[]; apply: () => void } {
    const known = this.#known!
    const living = policies.ofTracking.get(this.trackingId) ?? []
    const addresses = new Set([...asked, ...living.map(({ address }) => address)])
    // A policy that was closed and created again with another memo has left the room.
    const present = [...addresses]
      .flatMap(address => policies.ofAddress.get(address) ?? [])
      .filter(
        ({ address, trackingId, incarnationStart }) =>
          trackingId === this.trackingId || known.get(address)?.incarnationStart === incarnationStart,
      )
    const changes = present.flatMap(policy =>
      lifecyclesBetween(known.get(policy.address), policy).map(difference => ({
        id: lifecycleMessageId(policy, difference),
        policy,
        difference,
      })),
    )
    const apply = () => {
      const forgotten = new Set(present.filter(({ live }) => !live).slice(0, -MOST_REMEMBERED))
      this.#known = byAddress(present.filter(policy => !forgotten.has(policy)))
      for (const address of asked) this.#created.delete(address)
    }
    return { changes, apply }
  }
}

/** What a check read. */
export interface Policies {
  ofAddress: ReadonlyMap<string, TrackedPolicy>
  ofTracking: ReadonlyMap<string | null, readonly TrackedPolicy[]>
}

const byAddress = (policies: readonly TrackedPolicy[]): ReadonlyMap<string, TrackedPolicy> =>
  new Map(policies.map(policy => [policy.address, policy]))

export function indexPolicies(policies: readonly TrackedPolicy[]): Policies {
  const ofTracking = new Map<string | null, TrackedPolicy[]>()
  for (const policy of policies) {
    const others = ofTracking.get(policy.trackingId)
    if (others) others.push(policy)
    else ofTracking.set(policy.trackingId, [policy])
  }
  return { ofAddress: byAddress(policies), ofTracking }
}
