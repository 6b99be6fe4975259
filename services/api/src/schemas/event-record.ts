import { Type, type Static } from 'typebox'
import type { StoredEvent } from '@payment-tracking/store'
import { Integer, Moment, RawObject, Signature, Text } from './fields.js'

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
  },
  { title: 'EventRecord', description: 'A stored event of the chain.' },
)
export type EventRecord = Static<typeof EventRecord>

export const EventRecords = Type.Array(EventRecord, { description: 'Newest first.' })

export const toEventRecord = (event: StoredEvent): EventRecord => ({
  id: event.id,
  slot: event.slot,
  signature: event.signature,
  eventName: event.name,
  data: event.data,
  timestamp: event.timestamp,
})
