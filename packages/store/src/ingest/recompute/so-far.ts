// What the pages of a policy have found so far, as JSON.
import type { PolicyState } from '@payment-tracking/domain'
import type { PolicySources } from './derive-payments.js'

export interface SoFar {
  /** what the policy and its user payment said of the payments; missing before the first page */
  sources?: string
  /** null while no event of the policy is valid; missing where the sums are counted anew */
  sums?: SumsSoFar | null
}

export interface SumsSoFar {
  incarnationStart: string | null
  paymentCount: string
  totalPaid: string
  periodStart: string | null
  periodTotal: string | null
  periodOrder: string | null
}

export const toSources = ({ policy, account }: PolicySources): string =>
  JSON.stringify([policy?.tokenMint ?? null, account?.owner ?? null, account?.tokenMint ?? null])

export const toSums = (state: PolicyState): SumsSoFar => ({
  incarnationStart: state.incarnationStart,
  paymentCount: state.paymentCount.toString(),
  totalPaid: state.totalPaid.toString(),
  periodStart: state.periodStart?.toString() ?? null,
  periodTotal: state.periodTotal?.toString() ?? null,
  periodOrder: state.periodOrder,
})

const bigintOf = (digits: string | null): bigint | null => (digits === null ? null : BigInt(digits))

export const withSums = (state: PolicyState, sums: SumsSoFar): PolicyState => ({
  ...state,
  paymentCount: BigInt(sums.paymentCount),
  totalPaid: BigInt(sums.totalPaid),
  periodStart: bigintOf(sums.periodStart),
  periodTotal: bigintOf(sums.periodTotal),
  periodOrder: sums.periodOrder,
})
