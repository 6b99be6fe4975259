// The program numbers the payments of a policy and the policies of a user payment without holes. A missing number
// proves that a transaction is missing, whatever the nodes list. Direct transfers have no numbers.
import type { DecodedEvent } from '@payment-tracking/chain'
import { derivePolicy, deriveUserPayment } from '@payment-tracking/domain'
import type { Counters } from './counters.js'

export type CounterField = 'record_id' | 'policy_id'

/** Missing numbers, and the account whose transactions hold them. */
export interface CounterHole {
  account: string
  field: CounterField
  /** the numbers, at most MOST_MISSING of them */
  missing: number[]
  fromSlot: number
  toSlot: number
  reason: string
  /** the last transaction of the account's list that was looked at; the next turn goes on after it */
  listedTo?: string
}

const DIRECT_TRANSFER = '11111111111111111111111111111111'
const MOST_MISSING = 1_000

const NUMBERED: Readonly<Record<string, { field: CounterField; account: string }>> = {
  PaymentRecord: { field: 'record_id', account: 'payment_policy' },
  PaymentPolicyCreated: { field: 'policy_id', account: 'user_payment' },
}

/** The number in an event, and the account that the number belongs to. */
export function numberOf({ name, data }: DecodedEvent) {
  const numbered = NUMBERED[name]
  if (!numbered) return undefined
  const account = data[numbered.account] as string
  if (account === DIRECT_TRANSFER) return undefined
  return { account, field: numbered.field, number: data[numbered.field] as number }
}

function buildHole(
  account: string,
  field: CounterField,
  [from, to]: readonly [number, number],
  slots: { fromSlot: number; toSlot: number },
): CounterHole {
  const count = Math.min(to - from + 1, MOST_MISSING)
  return {
    account,
    field,
    missing: Array.from({ length: count }, (_, at) => from + at),
    ...slots,
    reason: `${field} ${from === to ? from : `${from} to ${to}`} of ${account} was never seen`,
  }
}

export class CounterAudit {
  /** policies that were paid since the last read of their accounts */
  readonly #touched = new Set<string>()

  /**
   * @param fromTheBeginning whether the indexer has seen every transaction of the program, so that numbers begin at 1
   */
  constructor(
    private readonly programId: string,
    private readonly fromTheBeginning: boolean,
    private readonly counters: Counters,
  ) {}

  /** Takes the events of a final transaction, in chain order. @returns the holes before them */
  observe(events: readonly DecodedEvent[], slot: number): CounterHole[] {
    return events.flatMap(event => this.#observe(event, slot) ?? [])
  }

  #observe(event: DecodedEvent, slot: number): CounterHole | undefined {
    const { programId, counters } = this
    const { name, data } = event
    const numbered = numberOf(event)
    if (name === 'UserPaymentCreated') {
      const account = deriveUserPayment(programId, data.owner as string, data.token_mint as string)
      counters.set(account, { last: 0, slot })
    }
    if (name === 'PaymentPolicyDeleted') this.#forget(data.payment_policy as string)
    if (name === 'UserPaymentDeleted') this.#forget(data.user_payment as string)
    if (!numbered) return undefined
    const { account, field, number } = numbered
    if (field === 'record_id') this.#touched.add(account)
    else {
      counters.set(derivePolicy(programId, account, number), { last: 0, slot })
      // Older programs let the caller choose the id.
      if (data.created_policies_count === undefined) return undefined
    }
    return this.#count(account, number, slot, field)
  }

  #forget(account: string): void {
    this.counters.delete(account)
    this.#touched.delete(account)
  }

  #count(account: string, number: number, slot: number, field: CounterField): CounterHole | undefined {
    const { counters } = this
    const beginning = this.fromTheBeginning && counters.isNew(account) ? { last: 0, slot: 1 } : undefined
    const known = counters.get(account) ?? beginning
    if (known && number <= known.last) return undefined
    counters.set(account, { last: number, slot })
    if (!known || number === known.last + 1) return undefined
    return buildHole(account, field, [known.last + 1, number - 1], {
      fromSlot: Math.max(1, known.slot),
      toSlot: slot,
    })
  }

  /** The policies paid since the last call: the auditor must compare their accounts. */
  takeTouched(): string[] {
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** Policies whose accounts could not be read: the next call of `takeTouched` returns them again. */
  touch(policies: readonly string[]): void {
    for (const policy of policies) this.#touched.add(policy)
  }

  /** Compares the program's count at `slot` with the seen events. @returns the hole, if the program counted more */
  compare(policy: string, paymentCount: number, slot: number): CounterHole | undefined {
    const known = this.counters.get(policy)
    if (!known || known.last >= paymentCount) return undefined
    const from = known.last + 1
    this.counters.set(policy, { last: paymentCount, slot: known.slot })
    return buildHole(policy, 'record_id', [from, paymentCount], {
      fromSlot: Math.max(1, known.slot),
      toSlot: Math.max(slot, known.slot),
    })
  }
}
