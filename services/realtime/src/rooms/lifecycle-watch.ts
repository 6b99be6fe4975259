// Tells clients what happens to the policies of a tracking ID. Such changes are rare, and Redis could lose an
// announcement of one. So a pod looks at the policies of its own subscribers, and sends what differs from the look
// before. Ingest does nothing for it, and due dates need no other process.
//
//   not watched --first subscriber with events, baseline read--> watched --last one left--> not watched
import type { Logger } from '@payment-tracking/runtime'
import { frameOfLifecycle } from '@payment-tracking/redis'
import {
  eventIdOfOrder,
  lifecycleMessageId,
  lifecyclesBetween,
  renderLifecycleData,
  type LifecycleCause,
  type LifecycleDifference,
  type TrackedPolicy,
} from '@payment-tracking/domain'
import { readEventPlaces, readTrackedPolicies, type Store } from '@payment-tracking/store'
import type { Room, Rooms } from './rooms.js'

export interface LifecycleWatchOptions {
  rooms: Rooms
  store: Store
  log: Logger
  intervalMs: number
  soonSeconds: number
  graceSeconds: number
}

/** Policies by address. */
type Known = Map<string, TrackedPolicy>

export class LifecycleWatch {
  readonly #options: LifecycleWatchOptions
  readonly #watched = new Map<Room, Known>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: LifecycleWatchOptions) {
    this.#options = options
  }

  start(): void {
    // A random delay, so that pods that start together do not query together.
    const delayMs = this.#options.intervalMs * (0.5 + Math.random() / 2)
    this.#timer = setTimeout(() => {
      void this.#look()
        .catch((err: unknown) => this.#options.log.warn({ err }, 'lifecycle.look-failed'))
        .finally(() => {
          if (!this.#stopped) this.start()
        })
    }, delayMs)
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  /** After this resolves, changes of the room's policies are told. @throws StoreUnavailableError */
  async watch(trackingId: string): Promise<void> {
    const room = this.#options.rooms.find(trackingId)
    if (!room || this.#watched.has(room)) return
    const policies = await this.#read([trackingId], [])
    // Another subscriber's baseline may have come first; the earlier one holds fewer changes.
    if (!this.#watched.has(room)) this.#watched.set(room, byAddress(policies))
  }

  #read(trackingIds: readonly string[], addresses: readonly string[]): Promise<TrackedPolicy[]> {
    const { store, soonSeconds, graceSeconds } = this.#options
    return readTrackedPolicies(store, { trackingIds, addresses, soonSeconds, graceSeconds })
  }

  async #look(): Promise<void> {
    const { rooms, store } = this.#options
    for (const room of this.#watched.keys()) {
      const asks = rooms.find(room.trackingId) === room && [...room.subscribers].some(({ events }) => events)
      if (!asks) this.#watched.delete(room)
    }
    if (this.#watched.size === 0) return
    const watched = [...this.#watched]
    const policies = await this.#read(
      watched.map(([room]) => room.trackingId),
      watched.flatMap(([, known]) => [...known.keys()]),
    )
    const ofAddress = byAddress(policies)
    const ofTracking = new Map<string | null, TrackedPolicy[]>()
    for (const policy of policies)
      ofTracking.set(policy.trackingId, [...(ofTracking.get(policy.trackingId) ?? []), policy])
    const changes = watched.map(([room, known]) => {
      // A policy that was closed and created again with another memo has left the room.
      const present = [...known.keys()]
        .flatMap(address => ofAddress.get(address) ?? [])
        .filter(
          ({ address, trackingId, incarnationStart }) =>
            trackingId === room.trackingId || known.get(address)!.incarnationStart === incarnationStart,
        )
      const added = (ofTracking.get(room.trackingId) ?? []).filter(({ address }) => !known.has(address))
      const all = [...present, ...added]
      return {
        ...{ room, present: all },
        told: all.flatMap(policy =>
          lifecyclesBetween(known.get(policy.address), policy).map(difference => ({ policy, difference })),
        ),
      }
    })
    const orders = changes.flatMap(({ told }) => told.flatMap(({ difference }) => difference.order ?? []))
    const places = await readEventPlaces(store, [...new Set(orders.map(eventIdOfOrder))])
    const causeOf = ({ order }: LifecycleDifference): LifecycleCause | null => {
      const eventId = order === null ? '' : eventIdOfOrder(order)
      const place = places.get(eventId)
      return place ? { eventId, signature: place.signature, slot: place.slot } : null
    }
    for (const { room, present, told } of changes) {
      const frames = told.map(({ policy, difference }) => ({
        recipient: policy.recipient,
        frame: frameOfLifecycle(messageOf(room, policy, difference, causeOf(difference))),
      }))
      // A pod that may not send now looks at this room again.
      if (frames.every(({ recipient, frame }) => rooms.tell(room, recipient, frame)))
        this.#watched.set(room, byAddress(present))
    }
  }
}

const byAddress = (policies: readonly TrackedPolicy[]): Known =>
  new Map(policies.map(policy => [policy.address, policy]))

/** JSON text: the body of the webhooks' message, with the time of sending. */
function messageOf(
  { trackingId }: Room,
  policy: TrackedPolicy,
  difference: LifecycleDifference,
  cause: LifecycleCause | null,
): string {
  const { type, dueAt } = difference
  const id = lifecycleMessageId(policy, difference)
  const data = renderLifecycleData({ ...policy, trackingId }, { dueAt, cause })
  return `{"id":"${id}","type":"${type}","data":${data},"timestamp":${Date.now()}}`
}
