// In which months the wallets that paid first in a month paid again, and how much.
import { setImmediate as giveWay } from 'node:timers/promises'
import { readKnownSince, readPaidMonths, type PaidMonth } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Static } from 'typebox'
import type { Tokens } from '@payment-tracking/domain'
import type { Cohorts } from './cohort-schemas.js'

/** Months of first payments that are listed: ten years. */
const MOST_MONTHS = 120
/** Tokens of one answer, and months of all its cohorts, which are written in one turn: 3 MB. */
const MOST_TOKENS = 1_000
const MOST_CELLS = 40_000
/** Other tokens than those of `TOKENS` that are counted: anybody can pay in any number of his own. */
const MOST_COUNTED_TOKENS = 10_000

interface Cell {
  wallets: number
  volume: bigint
}

/** Of a token: by the month of the first payment, and by the months since then. */
interface TokenCohorts {
  wallets: number
  payments: bigint
  cohorts: Map<number, Map<number, Cell>>
}

const nameMonth = (month: number): string =>
  `${1970 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`

/** Adds up what the pages say. */
class CohortSums {
  readonly tokens = new Map<string | null, TokenCohorts>()
  complete = true

  constructor(
    private readonly nowMonth: number,
    private readonly listed: Tokens,
  ) {}

  add({ tokenMint, cohort, month, wallets, amount, count, complete }: PaidMonth): void {
    if (!complete) this.complete = false
    const sums = this.#sumsOf(tokenMint)
    if (sums === null) return
    if (month === cohort) sums.wallets += Number(wallets)
    sums.payments += count
    if (cohort <= this.nowMonth - MOST_MONTHS) {
      this.complete = false
      return
    }
    const months = sums.cohorts.get(cohort) ?? new Map<number, Cell>()
    sums.cohorts.set(cohort, months)
    const cell = months.get(month - cohort) ?? { wallets: 0, volume: 0n }
    months.set(month - cohort, cell)
    cell.wallets += Number(wallets)
    cell.volume += amount
  }

  #sumsOf(tokenMint: string | null): TokenCohorts | null {
    const known = this.tokens.get(tokenMint)
    if (known) return known
    if (this.tokens.size >= MOST_COUNTED_TOKENS && !this.listed.has(tokenMint ?? '')) {
      this.complete = false
      return null
    }
    const sums: TokenCohorts = { wallets: 0, payments: 0n, cohorts: new Map() }
    this.tokens.set(tokenMint, sums)
    return sums
  }
}

/** Each month from that of the first payment up to now: those without a payment too. */
function describeCohort(first: number, cells: ReadonlyMap<number, Cell>, nowMonth: number) {
  const last = Math.max(nowMonth - first, ...cells.keys())
  return {
    month: nameMonth(first),
    wallets: cells.get(0)!.wallets,
    months: Array.from({ length: last + 1 }, (_, monthsSince) => ({
      monthsSince,
      wallets: cells.get(monthsSince)?.wallets ?? 0,
      volume: (cells.get(monthsSince)?.volume ?? 0n).toString(),
    })),
  }
}

/** In the order of revenue: anybody can pay himself often in a token of his own. */
function rank(sums: CohortSums, listed: Tokens) {
  const all = [...sums.tokens].map(([tokenMint, of]) => {
    const isListed = listed.has(tokenMint ?? '')
    return { tokenMint, ...of, listedPayments: isListed ? of.payments : 0n }
  })
  return all.sort(
    (a, b) =>
      Number(b.listedPayments - a.listedPayments) ||
      b.wallets - a.wallets ||
      Number(b.payments - a.payments) ||
      ((a.tokenMint ?? '') < (b.tokenMint ?? '') ? -1 : 1),
  )
}

/** The payments are read in pages. A gateway with very many waits for them, and nobody else does. */
export async function readCohorts(
  { store, tokens, nowMs }: { store: Store; tokens: Tokens; nowMs: () => number },
  gateway: string,
): Promise<Static<typeof Cohorts>> {
  const now = new Date(nowMs())
  const nowMonth = (now.getUTCFullYear() - 1970) * 12 + now.getUTCMonth()
  const sums = new CohortSums(nowMonth, tokens)
  const knownSince = await readKnownSince(store)
  for await (const rows of readPaidMonths(store, gateway)) for (const row of rows) sums.add(row)
  const byToken = []
  let cells = 0
  for (const { tokenMint, cohorts } of rank(sums, tokens)) {
    await giveWay()
    const listed = [...cohorts]
      .sort(([a], [b]) => a - b)
      .map(([first, months]) => describeCohort(first, months, nowMonth))
    cells += listed.reduce((sum, { months }) => sum + months.length, 0)
    if (byToken.length === MOST_TOKENS || cells > MOST_CELLS) {
      sums.complete = false
      break
    }
    byToken.push({ tokenMint, decimals: tokens.get(tokenMint ?? '')?.decimals ?? null, cohorts: listed })
  }
  return {
    tokenMint: byToken[0]?.tokenMint ?? null,
    cohorts: byToken[0]?.cohorts ?? [],
    byToken,
    knownSince: knownSince?.toISOString() ?? null,
    complete: sums.complete,
  }
}
