// Projections and aggregates, row by row.
import type { CommitChecker } from '../load/commit-checker.js'
import { countEverything } from '../model/aggregates.js'
import type { ModelEvent } from '../model/events.js'
import type { Model, ModelPolicy } from '../model/state.js'
import type { Differences } from './differences.js'

const EXISTS =
  '(incarnation_start is not null and (deleted_order is null or deleted_order < incarnation_start))'

const QUERIES = {
  gateways: `select address as key,
      concat_ws(' ', ${EXISTS}, authority, case when signer_order >= incarnation_start then signer else authority end) as value
    from gateways`,
  user_payments: `select address as key, concat_ws(' ', ${EXISTS}, owner, token_mint) as value from user_payments`,
  policies: `select address as key, concat_ws(' ', live, user_payment, gateway, recipient, coalesce(tracking_id, 'null'),
      policy_id, created_at, updated_at, total_paid, payment_count, status, coalesce(next_payment_due::text, 'null'),
      family, coalesce(token_mint, 'null')) as value
    from policies where incarnation_start is not null`,
  event_counts: `select concat_ws(' ', name, span, ${iso('start')}) as key, count::text as value from event_counts`,
  payment_stats: `select concat_ws(' ', gateway, span, ${iso('start')}) as key,
      concat_ws(' ', count, total, min, max, ${iso('first_at')}, ${iso('last_at')}) as value from payment_stats`,
  payment_token_stats: `select concat_ws(' ', gateway, span, ${iso('start')}, token_mint) as key,
      concat_ws(' ', count, total) as value from payment_token_stats`,
} as const

function iso(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

const describePolicy = (policy: ModelPolicy): string =>
  [
    policy.live ? 't' : 'f',
    policy.userPayment,
    policy.gateway,
    policy.recipient,
    policy.trackingId ?? 'null',
    policy.policyId,
    policy.createdAt,
    policy.updatedAt,
    policy.totalPaid,
    policy.paymentCount,
    policy.status,
    policy.nextPaymentDue ?? 'null',
    policy.family,
    policy.tokenMint ?? 'null',
  ].join(' ')

export async function compareProjections(
  checker: CommitChecker,
  events: readonly ModelEvent[],
  model: Model,
  differences: Differences,
): Promise<void> {
  const lines = <T>(map: ReadonlyMap<string, T>, describe: (row: T) => string) =>
    new Map([...map].map(([key, row]) => [key, describe(row)]))
  const exists = (live: boolean) => (live ? 't' : 'f')
  const expected: Record<keyof typeof QUERIES, ReadonlyMap<string, string>> = {
    gateways: lines(model.gateways, row => `${exists(row.live)} ${row.authority} ${row.signer}`),
    user_payments: lines(model.userPayments, row => `${exists(row.live)} ${row.owner} ${row.tokenMint}`),
    policies: lines(model.policies, describePolicy),
    ...countEverything(events, model),
  }
  for (const [table, query] of Object.entries(QUERIES)) {
    const rows = await checker.query<{ key: string; value: string }>(query)
    differences.compareMaps(
      table,
      expected[table as keyof typeof QUERIES],
      new Map(rows.map(({ key, value }) => [key, value])),
    )
  }
}
