// Makes one answer of what several nodes say of the same accounts.
import type { TokenAccount } from '@payment-tracking/chain'

/** One node's answer for some accounts; null is no token account. */
export interface AccountsAnswer {
  /** of the answer's context */
  slot: number
  accounts: readonly (TokenAccount | null)[]
}

export interface AgreedAccount {
  /** up to which every node that was asked says so */
  slot: number
  nodes: number
  account: TokenAccount | null
}

/** A node with a greater lag says nothing of now: about a minute. */
const MOST_LAG_SLOTS = 150

const textOf = (account: TokenAccount | null): string =>
  JSON.stringify(account, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/**
 * Leaves out nodes that are far behind. The others must agree on an account.
 * @param highestSlot the highest final slot that this process knows. All nodes together may be behind it
 * @returns one entry for each account; undefined where the nodes disagree, or where every node is far behind
 */
export function agree(
  answers: readonly AccountsAnswer[],
  count: number,
  highestSlot: number,
): (AgreedAccount | undefined)[] {
  const highest = Math.max(highestSlot, ...answers.map(({ slot }) => slot))
  const fresh = answers.filter(({ slot }) => slot >= highest - MOST_LAG_SLOTS)
  const slot = Math.min(...fresh.map(each => each.slot))
  return Array.from({ length: count }, (_, at) => {
    const said = new Set(fresh.map(({ accounts }) => textOf(accounts[at] ?? null)))
    return said.size === 1
      ? { slot, nodes: fresh.length, account: fresh[0]!.accounts[at] ?? null }
      : undefined
  })
}
