// The accounts of one cycle. Each is read once, however many payments need it.
import { deriveTokenAccount } from '@payment-tracking/domain'
import { NO_FUNDS, type FundsCounts } from '../indexer-metrics.js'

/** An account that is to be read. */
interface Wanted {
  address: string
  mint: string
  /** whose account of the mint it is, where nobody but the address says so; null for a payer's */
  owner: string | null
}

export class Cycle {
  readonly counts: FundsCounts = { ...NO_FUNDS }
  /** wallets whose other accounts the nodes were asked for */
  searches = 0
  readonly #wanted: Wanted[] = []
  readonly #seen = new Set<string>()
  readonly #programs = new Map<string, string>()
  /** wallets of mints whose program is not known yet */
  readonly #owners = new Map<string, Set<string>>()

  get size(): number {
    return this.#wanted.length
  }

  take = (count: number): Wanted[] => this.#wanted.splice(0, count)

  count(result: keyof FundsCounts): void {
    this.counts[result] += 1
  }

  want(wanted: Wanted): void {
    if (this.#seen.has(wanted.address)) return
    this.#seen.add(wanted.address)
    this.#wanted.push(wanted)
  }

  /** The usual token accounts of wallets. Their addresses follow from the token program, which the payer's account names. */
  wantOwners(mint: string, owners: readonly string[]): void {
    const program = this.#programs.get(mint)
    if (program !== undefined)
      for (const owner of owners)
        this.want({ address: deriveTokenAccount(owner, program, mint), mint, owner })
    else {
      const waiting = this.#owners.get(mint) ?? new Set()
      for (const owner of owners) waiting.add(owner)
      this.#owners.set(mint, waiting)
    }
  }

  learn(mint: string, program: string): void {
    if (this.#programs.has(mint)) return
    this.#programs.set(mint, program)
    const waiting = this.#owners.get(mint)
    this.#owners.delete(mint)
    if (waiting) this.wantOwners(mint, [...waiting])
  }
}
