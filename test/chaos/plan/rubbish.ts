// Messages that must be refused, each for a reason of its own.
import type { ChainMessage, Random } from '@payment-tracking/testkit'
import type { PlannedMessage } from './messages.js'

type Spoil = (good: ChainMessage) => [code: string, text: string]

const changed = (good: ChainMessage, change: object): string => JSON.stringify({ ...good, ...change })

const SPOILS: readonly Spoil[] = [
  good => ['NOT_JSON', changed(good, {}).slice(0, -3)],
  good => ['NOT_JSON', `${good.signature} is no JSON`],
  good => ['NOT_AN_EVENT', JSON.stringify([good])],
  good => ['BAD_SLOT', changed(good, { slot: 0 })],
  good => ['BAD_SLOT', changed(good, { slot: '7' })],
  good => ['BAD_INDEX', changed(good, { index: -1 })],
  // Half of one: a signature that lost two characters may still have 64 bytes, when the third is a 1.
  good => ['BAD_SIGNATURE', changed(good, { signature: good.signature.slice(44) })],
  good => ['BAD_EVENT_NAME', changed(good, { event_name: 'Payment Record' })],
  good => ['BAD_TIMESTAMP', changed(good, { timestamp: '2026-02-30T00:00:00Z' })],
  good => ['BAD_DATA', changed(good, { data: null })],
  good => ['BAD_DATA', changed(good, { data: { ...good.data, amount: '18446744073709551616' } })],
  good => ['BAD_DATA', changed(good, { data: { ...good.data, memo: [1, 2, 3] } })],
  good => ['FOREIGN_PROGRAM', changed(good, { program_id: good.data.gateway })],
  good => ['TOO_DEEP', changed(good, { note: nested(80) })],
]

const nested = (levels: number): unknown => (levels === 0 ? 'deep' : [nested(levels - 1)])

/** @param good a PaymentRecord that is published nowhere else */
export function spoil(good: ChainMessage, random: Random): PlannedMessage {
  const [refusal, bytes] = random.pick(SPOILS)(good)
  return { bytes, control: null, finalized: false, message: null, dataText: '', refusal }
}
