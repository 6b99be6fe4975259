// Policies and token accounts as rows, where there are too many to be said event by event.
import type { TestDatabase } from '@payment-tracking/testkit'

export interface MadePolicy {
  gateway: string
  payer: number
  recipient: string
  mint: string | null
  amount: number
  once: boolean
  dueAt: number
  status: string
}

/** Policies with a user payment for each payer, whose account is named after it. */
export async function insertPolicies(
  pool: TestDatabase['pool'],
  policies: readonly MadePolicy[],
): Promise<void> {
  const made = policies.map(({ once, amount, ...rest }) => ({
    ...rest,
    type: once
      ? { OneTime: { amount: String(amount), due_date: String(rest.dueAt), expiry_date: null } }
      : {
          Subscription: {
            amount: String(amount),
            auto_renew: true,
            max_renewals: null,
            next_payment_due: '1',
            padding: [],
            payment_frequency: { Monthly: null },
          },
        },
  }))
  await pool.query(
    `with made as materialized (select p, n from json_array_elements($1::json) with ordinality a (p, n)),
       users as (
         insert into user_payments (address, owner, token_mint, token_account)
         select distinct p->>'gateway' || ' u ' || (p->>'payer'), 'w ' || (p->>'payer'), 'usdc', p->>'gateway' || ' a ' || (p->>'payer')
           from made)
     insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at, updated_at,
                           next_payment_due, due_at, token_mint)
     select p->>'gateway' || ' ' || n, true, p->>'status', p->>'gateway', p->>'recipient',
            p->>'gateway' || ' u ' || (p->>'payer'), n, p->'type', n, 0, (p->>'dueAt')::bigint, (p->>'dueAt')::bigint, p->>'mint'
       from made`,
    [JSON.stringify(made)],
  )
}

/** The newest readings of token accounts: columns of token_accounts, and `age` in seconds. */
export const insertAccounts = (pool: TestDatabase['pool'], accounts: readonly object[]) =>
  pool.query(
    `insert into token_accounts (address, slot, checked_at, is_there, owner, mint, balance, delegate, allowance, frozen, nodes, others)
     select address, 1, now() - make_interval(secs => age), is_there, owner, mint, balance, delegate, allowance, frozen, 1, others
       from json_to_recordset($1::json) a (address text, age int, is_there boolean, owner text, mint text, balance numeric,
                                           delegate text, allowance numeric, frozen boolean, others text)`,
    [JSON.stringify(accounts)],
  )
