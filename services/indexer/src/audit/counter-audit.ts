// The program numbers the payments of a policy and the policies of a user payment without holes. A number that is
// missing proves that a transaction is missing, whatever the nodes list. Direct transfers have no numbers.
import type { DecodedEvent } from '@payment-tracking/chain'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import { LRUCache } from 'lru-cache'

/** Numbers that were never seen, and the account whose transactions hold them. */
export interface CounterHole {
  account: string
  fromSlot: number
  toSlot: number
  reason: string
}

interface Counter {
  last: number
  slot: number
}

const DIRECT_TRANSFER = '11111111111111111111111111111111'
/** So many policies and user payments are watched; those that nothing happens to are forgotten first. */
const MOST_COUNTERS = 100_000

export class CounterAudit {
  readonly #counters = new LRUCache<string, Counter>({ max: MOST_COUNTERS })
  /** policies that were paid since their accounts were last read */
  readonly #touched = new Set<string>()

  /** @param fromTheBeginning whether every transaction of the program is seen, so that numbers begin at 1 */
  constructor(
    private readonly programId: string,
    private readonly fromTheBeginning: boolean,
  ) {}

  /** Takes the events of a final transaction, in chain order. @returns the holes before them */
  observe(events: readonly DecodedEvent[], slot: number): CounterHole[] {
    return events.flatMap(event => this.#observe(event, slot) ?? [])
  }

  #observe({ name, data }: DecodedEvent, slot: number): CounterHole | undefined {
    const { programId } = this
    if (name === 'PaymentRecord' && data.payment_policy !== DIRECT_TRANSFER) {
      const policy = data.payment_policy as string
      this.#touched.add(policy)
      return this.#count(policy, data.record_id as number, slot, 'record_id')
    }
    if (name === 'UserPaymentCreated') {
      const account = deriveUserPayment(programId, data.owner as string, data.token_mint as string)
      this.#counters.set(account, { last: 0, slot })
    }
    if (name === 'PaymentPolicyCreated') {
      const userPayment = data.user_payment as string
      const policyId = data.policy_id as number
      this.#counters.set(derivePolicy(programId, userPayment, policyId), { last: 0, slot })
      // Older programs let the caller choose the id.
      if (data.created_policies_count === undefined) return undefined
      return this.#count(userPayment, policyId, slot, 'policy_id')
    }
    if (name === 'PaymentPolicyDeleted') this.#forget(data.payment_policy as string)
    if (name === 'UserPaymentDeleted') this.#forget(data.user_payment as string)
    return undefined
  }

  #forget(account: string): void {
    this.#counters.delete(account)
    this.#touched.delete(account)
  }

  #count(account: string, number: number, slot: number, field: string): CounterHole | undefined {
    const known = this.#counters.get(account) ?? (this.fromTheBeginning ? { last: 0, slot: 1 } : undefined)
    if (known && number <= known.last) return undefined
    this.#counters.set(account, { last: number, slot })
    if (!known || number === known.last + 1) return undefined
    const missing = number === known.last + 2 ? `${number - 1}` : `${known.last + 1} to ${number - 1}`
    return {
      account,
      fromSlot: Math.max(1, known.slot),
      toSlot: slot,
      reason: `${field} ${missing} of ${account} was never seen`,
    }
  }

  /** The policies paid since the last call: their accounts are to be compared. */
  takeTouched(): string[] {
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** Compares what the program counted by `slot` with what was seen. @returns the hole, if the program counted more */
  compare(policy: string, paymentCount: number, slot: number): CounterHole | undefined {
    const known = this.#counters.get(policy)
    if (!known || known.last >= paymentCount) return undefined
    return {
      account: policy,
      fromSlot: Math.max(1, known.slot),
      toSlot: Math.max(slot, known.slot),
      reason: `the program counted ${paymentCount} payments of ${policy}, ${known.last} were seen`,
    }
  }
}
