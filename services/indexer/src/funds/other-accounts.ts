// What the nodes know of the other token accounts of wallets whose usual one is missing. The question costs a node far more than
// a reading, so it is asked at most once a day for a wallet and a mint. The answers are in this process alone: a restart asks
// again, within the bounds of a cycle.
import type { TokenAccount } from '@payment-tracking/chain'
import type { OtherAccounts } from '@payment-tracking/domain'

const DAY_MS = 86_400_000
/** Some 20 MB. The answers beyond are the oldest, and are asked for again. */
const MOST_KEPT = 100_000

/** A frozen account takes no payment. */
export const summarize = (accounts: readonly TokenAccount[]): OtherAccounts =>
  accounts.length === 0 ? 'none' : accounts.every(({ frozen }) => frozen) ? 'frozen' : 'usable'

export class KnownOthers {
  /** by wallet and mint; the first was asked for longest ago */
  readonly #answers = new Map<string, { others: OtherAccounts | null; untilMs: number }>()

  /** @returns null where the nodes could not say; undefined where they are to be asked */
  find(owner: string, mint: string): OtherAccounts | null | undefined {
    const known = this.#answers.get(`${owner} ${mint}`)
    return known && performance.now() < known.untilMs ? known.others : undefined
  }

  /** @param forMs how long the answer counts */
  keep(owner: string, mint: string, others: OtherAccounts | null, forMs = DAY_MS): void {
    const key = `${owner} ${mint}`
    this.#answers.delete(key)
    this.#answers.set(key, { others, untilMs: performance.now() + forMs })
    if (this.#answers.size > MOST_KEPT) this.#answers.delete(this.#answers.keys().next().value!)
  }
}
