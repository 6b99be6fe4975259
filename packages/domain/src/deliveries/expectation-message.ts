// What webhooks are sent of an expected payment.
import { createHash } from 'node:crypto'
import { renderExpectation, type ExpectationRecord } from '../expectations/expectation-record.js'
import type { ExpectationType } from '../expectations/expectation-types.js'
import type { DeliveryMessage } from './delivery-message.js'

/**
 * One id for each change and type, of all payments or of the final ones: rendered again, the message has the same id.
 * @param of.over which payments the record is about
 * @param of.position a position at which the change is stored; null where the clock or the gateway changed it
 */
export function renderExpectationMessage(
  type: ExpectationType,
  record: ExpectationRecord,
  { over, changes, position }: { over: 'all' | 'final'; changes: bigint; position: bigint | null },
): DeliveryMessage {
  const identity = JSON.stringify([type, record.id, over, changes.toString()])
  const id = `msg_${createHash('sha256').update(identity).digest('hex').slice(0, 40)}expectation`
  const timestamp = JSON.stringify(record.changedAt)
  return {
    id,
    type,
    body: `{"id":"${id}","type":"${type}","timestamp":${timestamp},"position":${position},"data":${renderExpectation(record)}}`,
  }
}
