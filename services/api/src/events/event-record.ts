import { Type, type TSchema } from 'typebox'
import type { EventRecordField } from '@payment-tracking/store/reads'
import { Integer, Moment, Nullable, RawObject, Signature, Text, Written } from '../http/fields.js'
import { FinalityField, PaymentFields, RetractedField } from './payment-fields.js'

/** The store writes the records: `eventRecordText`. */
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
  } satisfies Record<EventRecordField, TSchema>,
  { title: 'EventRecord', description: 'A stored event of the chain.' },
)

export const EventRecords = Written(Type.Array(EventRecord, { description: 'Newest first.' }))
