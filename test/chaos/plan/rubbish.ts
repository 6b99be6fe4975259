// Messages that must be refused; all reasons for it are in packages/domain/test/read-message.test.ts.
import type { ChainMessage, Random } from '@payment-tracking/testkit'
import type { PlannedMessage } from './messages.js'

type Spoil = (good: ChainMessage) => [code: string, text: string]

const changed = (good: ChainMessage, change: object): string => JSON.stringify({ ...good, ...change })

const SPOILS: readonly Spoil[] = [
  good => ['NOT_JSON', changed(good, {}).slice(0, -3)],
  good => ['NOT_AN_EVENT', JSON.stringify([good])],
  good => ['BAD_SLOT', changed(good, { slot: 0 })],
  good => ['BAD_DATA', changed(good, { data: { ...good.data, amount: '18446744073709551616' } })],
  good => ['FOREIGN_PROGRAM', changed(good, { program_id: good.data.gateway })],
]

/** @param good a PaymentRecord that is published nowhere else */
export function spoil(good: ChainMessage, random: Random): PlannedMessage {
  const [refusal, bytes] = random.pick(SPOILS)(good)
  return { bytes, control: null, finalized: false, message: null, refusal }
}
