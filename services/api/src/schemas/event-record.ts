import { Type, type Static } from 'typebox'
import type { StoredEvent } from '@payment-tracking/store'
import { Integer, Moment, Nullable, RawObject, Signature, Text } from './fields.js'
import {
  FinalityField,
  PaymentFields,
  RetractedField,
  toPaymentFields,
  toStanding,
} from './payment-fields.js'
import type { Tokens } from './tokens.js'

export const EventRecord = Type.Object(
  {
    id: Text('opaque; the same event has the same id for ever', '0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11'),
    slot: Integer('blockchain slot', 452091000),
    signature: Signature('transaction signature'),
    eventName: Text('event kind', 'PaymentRecord'),
    data: RawObject('what the program emitted, value for value as it was received', {
      payment_policy: '6Z3BNAsmuXhP88e9x4p2RRqtULZWSUA9xS567EftC48B',
      gateway: 'CfkWw3dvy5MwDsC1Gjrxeu3VCwV4bRU7AcVhasXi1icW',
      amount: '404000000',
      record_id: 10,
    }),
    timestamp: Moment('when it happened on the chain, with milliseconds'),
    finality: FinalityField,
    retracted: RetractedField,
    trackingId: Type.Optional(Nullable(Text('of a payment: what its memo says', 'order-4711'))),
    ...Type.Partial(Type.Object(PaymentFields)).properties,
  },
  { title: 'EventRecord', description: 'A stored event of the chain.' },
)
export type EventRecord = Static<typeof EventRecord>

export const EventRecords = Type.Array(EventRecord, { description: 'Newest first.' })

/** @param asked whether the client requested retracted events */
export const toEventRecord = (event: StoredEvent, tokens: Tokens, asked = false): EventRecord => ({
  id: event.id,
  slot: event.slot,
  signature: event.signature,
  eventName: event.name,
  data: event.data,
  timestamp: event.timestamp,
  ...toStanding(event, asked),
  ...(event.payment === null
    ? {}
    : { trackingId: event.payment.trackingId, ...toPaymentFields(event.id, event.payment, tokens) }),
})
