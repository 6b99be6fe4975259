// Keeps the events of a transaction together on their way into the store. A customer buys in one transaction: user payment,
// policy and first payment. Who asks between two commits would see a policy that was never paid.
import type { ConsumerOptions } from '@payment-tracking/bus'

const SIGNATURE = /"signature"\s*:\s*"([1-9A-HJ-NP-Za-km-z]{1,88})"/

/**
 * A batch that ended between two events of one transaction would let a proof of payment deny the payment.
 * Only the last messages of a batch are looked into, before they are read: a message that cannot be read is in no group.
 */
export const TRANSACTIONS: Required<Pick<ConsumerOptions, 'groupOf' | 'isContinued'>> = {
  groupOf: bytes => SIGNATURE.exec(Buffer.from(bytes).toString('latin1'))?.[1] ?? null,
  isContinued: subject => /(?:UserPayment|Policy)Created$/.test(subject),
}
