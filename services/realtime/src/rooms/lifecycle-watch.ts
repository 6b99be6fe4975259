// Notifies clients of what happens to the policies of a tracking ID. Ingest announces events of the chain after their commit.
// Redis may lose an announcement, and no event causes a due date: so a pod looks at the policies of its own subscribers
// every `intervalMs`, and sends what differs from the last check and was not sent. A change has the same id in
// an announcement and in a check, so each is sent once.
//
//   not watched --first subscriber with events, baseline read--> watched --last one left--> not watched
import { setTimeout as delay } from 'node:timers/promises'
import { repeat, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { changeOfLifecycle, frameOfLifecycle, type PaymentFrame } from '@payment-tracking/redis'
import {
  eventIdOfOrder,
  renderLifecycleData,
  type LifecycleCause,
  type TrackedPolicy,
} from '@payment-tracking/domain'
import { readEventTransactions, readTrackedPolicies } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { RealtimeMetrics } from '../metrics.js'
import type { Room, Rooms } from './rooms.js'
import { indexPolicies, WatchedRoom, type SeenChange } from './watched-room.js'

/** A check gives announcements in flight this time, so that changes are sent in order, and all instead of the last. */
const GRACE_MS = 300
const CHECK_SPREAD = 0.25
const STOP_WITHIN_MS = 1_000

export interface LifecycleWatchOptions {
  rooms: Rooms
  store: Store
  metrics: Pick<RealtimeMetrics, 'healed'>
  log: Logger
  intervalMs: number
  soonSeconds: number
  graceSeconds: number
}

/** By event id; null for time, and where the event is not known. */
type CauseOf = (change: SeenChange) => LifecycleCause | null

export class LifecycleWatch {
  readonly #options: LifecycleWatchOptions
  readonly #watched = new Map<Room, WatchedRoom>()
  readonly #checks: RepeatedTask

  constructor(options: LifecycleWatchOptions) {
    this.#options = options
    this.#checks = repeat({
      everyMs: options.intervalMs,
      spread: CHECK_SPREAD,
      stopWithinMs: STOP_WITHIN_MS,
      run: stop => this.#check(stop),
      onError: err => options.log.warn({ err }, 'lifecycle.check-failed'),
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  /** After this resolves, changes of the room's policies are sent. @throws StoreUnavailableError */
  async watch(trackingId: string): Promise<void> {
    const room = this.#options.rooms.find(trackingId)
    if (!room) return
    const watched = this.#watch(room)
    if (!watched.hasBaseline) watched.baseline(await this.#read([trackingId], []))
  }

  /** Handles a life-cycle event from Redis: sends it unless it was sent. Nothing happens where nobody asked. */
  receive(room: Room, { recipient, wsFrame }: PaymentFrame): void {
    if (!this.#watched.has(room) && !asksForEvents(room)) return
    const watched = this.#watch(room)
    const { id, type, paymentPolicy } = changeOfLifecycle(wsFrame)
    if (type === 'subscription.created') watched.noteCreated(paymentPolicy)
    // A pod that may not send now leaves the event to a check.
    if (!watched.hasSent(id) && this.#options.rooms.sendLifecycle(room, recipient, wsFrame))
      watched.noteSent(id)
  }

  #watch(room: Room): WatchedRoom {
    const watched = this.#watched.get(room) ?? new WatchedRoom(room.trackingId)
    this.#watched.set(room, watched)
    return watched
  }

  #read(trackingIds: readonly string[], addresses: readonly string[]): Promise<TrackedPolicy[]> {
    const { store, soonSeconds, graceSeconds } = this.#options
    return readTrackedPolicies(store, { trackingIds, addresses, soonSeconds, graceSeconds })
  }

  async #check(stop: AbortSignal): Promise<void> {
    const { rooms } = this.#options
    for (const room of this.#watched.keys())
      if (rooms.find(room.trackingId) !== room || !asksForEvents(room)) this.#watched.delete(room)
    const asked = [...this.#watched]
      .filter(([, watched]) => watched.hasBaseline)
      .map(([room, watched]) => ({ room, watched, addresses: watched.addresses() }))
    if (asked.length === 0) return
    const policies = indexPolicies(
      await this.#read(
        asked.map(({ room }) => room.trackingId),
        asked.flatMap(({ addresses }) => addresses),
      ),
    )
    const checks = asked.map(({ room, watched, addresses }) => {
      const { changes, apply } = watched.compare(addresses, policies)
      return { room, unsent: () => changes.filter(({ id }) => !watched.hasSent(id)), watched, apply }
    })
    const unsent = () => checks.flatMap(check => check.unsent())
    if (unsent().some(isOfChain)) await delay(GRACE_MS)
    if (stop.aborted) return
    const causeOf = await this.#readCauses(unsent())
    for (const { room, watched, apply, ...check } of checks)
      if (this.#send(room, watched, check.unsent(), causeOf)) apply()
  }

  /** @returns false when this pod may not send now: the next check sees the same changes */
  #send(room: Room, watched: WatchedRoom, changes: readonly SeenChange[], causeOf: CauseOf): boolean {
    const { rooms, metrics, log } = this.#options
    const { trackingId } = room
    for (const change of changes) {
      const { id, policy, difference } = change
      const { type, dueAt } = difference
      const data = renderLifecycleData({ ...policy, trackingId }, { dueAt, cause: causeOf(change) })
      if (!rooms.sendLifecycle(room, policy.recipient, frameOfLifecycle({ id, type, data }, Date.now())))
        return false
      watched.noteSent(id)
    }
    const healed = changes.filter(isOfChain).length
    if (healed > 0) {
      metrics.healed.inc(healed)
      log.info({ trackingId, healed }, 'lifecycle.healed')
    }
    return true
  }

  async #readCauses(changes: readonly SeenChange[]): Promise<CauseOf> {
    const orders = changes.flatMap(({ difference }) => difference.order ?? [])
    const transactions = await readEventTransactions(this.#options.store, [
      ...new Set(orders.map(eventIdOfOrder)),
    ])
    return ({ difference: { order } }) => {
      const eventId = order === null ? '' : eventIdOfOrder(order)
      const transaction = transactions.get(eventId)
      return transaction ? { eventId, signature: transaction.signature, slot: transaction.slot } : null
    }
  }
}

const asksForEvents = ({ subscribers }: Room): boolean => [...subscribers].some(({ events }) => events)

/** Whether an event caused the change, which ingest announces; nobody announces that time has passed. */
const isOfChain = ({ difference }: SeenChange): boolean => difference.order !== null
