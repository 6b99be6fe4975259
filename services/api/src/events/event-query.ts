import type { EventFilter } from '@payment-tracking/store/reads'
import { Type, type Static, type TObject } from 'typebox'
import { parseTime, withoutProgramPrefix } from '../http/formats.js'
import { IncludeRetracted, Moment, PublicKey, Signature, TrackingId } from '../http/fields.js'

export const EventName = () =>
  Type.String({
    format: 'event-name',
    description: "event name, with or without the program's prefix",
    examples: ['PaymentRecord'],
  })

const Slot = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const TimeBounds = {
  startTime: Type.Optional(Moment('events at or after this time; without an offset it is UTC')),
  endTime: Type.Optional(
    Moment('events at or before this time; without an offset it is UTC, and a date alone is the whole day'),
  ),
}

/** Inclusive bounds as times; digits beyond milliseconds are rounded into the range. */
export function readTimeBounds(query: { startTime?: string; endTime?: string }) {
  return {
    startTime: query.startTime === undefined ? undefined : parseTime(query.startTime, 'up')!,
    endTime: query.endTime === undefined ? undefined : parseTime(query.endTime, 'down', 'last')!,
  }
}

/** Of lists, counts and the stream. */
export const OfGateway = () =>
  PublicKey(
    'the gateway that the event names, or whose policy it changed: payments, new policies, their status changes and deletions, and changes of the gateway',
  )

/** The filters of `/v1/events` and of the stream of all events. */
export const EventFilters = {
  signature: Type.Optional(Signature('transaction signature')),
  slot: Type.Optional(Slot('exact blockchain slot')),
  eventName: Type.Optional(EventName()),
  trackingId: Type.Optional(TrackingId('tracking ID')),
  gateway: Type.Optional(OfGateway()),
  paymentPolicy: Type.Optional(PublicKey('the policy of the event')),
  ...TimeBounds,
  minSlot: Type.Optional(Slot('minimum slot, inclusive')),
  maxSlot: Type.Optional(Slot('maximum slot, inclusive')),
}

/** The filters of a list. The stream does not need the last filter: it marks retracted events. */
export const ListFilters = { ...EventFilters, retracted: IncludeRetracted() }

type FilterQuery = Static<TObject<typeof EventFilters>> & { retracted?: boolean }

export const toEventFilter = (query: FilterQuery): EventFilter => ({
  signature: query.signature,
  slot: query.slot,
  name: query.eventName === undefined ? undefined : withoutProgramPrefix(query.eventName),
  retracted: query.retracted,
  trackingId: query.trackingId,
  gateway: query.gateway,
  paymentPolicy: query.paymentPolicy,
  minSlot: query.minSlot,
  maxSlot: query.maxSlot,
  ...readTimeBounds(query),
})
