// Policies and token accounts as rows, where there are too many to be said event by event.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePaymentsDelegate } from '@payment-tracking/domain'
import type { TestDatabase } from '@payment-tracking/testkit'

/** A subscription of 5 USDC, where nothing else is said. */
const POLICY = { recipient: 'r', mint: 'usdc' as string | null, amount: 5, once: false, status: 'active' }

export type MadePolicy = { gateway: string; payer: number; dueAt: number } & Partial<typeof POLICY>

/** An account with just enough for such a policy, seen a second ago. */
const ACCOUNT = {
  age: 1,
  is_there: true,
  mint: 'usdc',
  balance: 5,
  delegate: derivePaymentsDelegate(DEFAULT_PROGRAM_ID),
  allowance: 5,
  frozen: false,
}

/** Policies with a user payment for each payer, whose account is named after it. */
export async function insertPolicies(
  pool: TestDatabase['pool'],
  policies: readonly MadePolicy[],
): Promise<void> {
  const made = policies
    .map(policy => ({ ...POLICY, ...policy }))
    .map(({ once, amount, ...rest }) => ({
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
export const insertAccounts = (
  pool: TestDatabase['pool'],
  accounts: readonly ({ address: string; owner: string } & Record<string, unknown>)[],
) =>
  pool.query(
    `insert into token_accounts (address, slot, checked_at, is_there, owner, mint, balance, delegate, allowance, frozen, nodes, others)
     select address, 1, now() - make_interval(secs => age), is_there, owner, mint, balance, delegate, allowance, frozen, 1, others
       from json_to_recordset($1::json) a (address text, age int, is_there boolean, owner text, mint text, balance numeric,
                                           delegate text, allowance numeric, frozen boolean, others text)`,
    [JSON.stringify(accounts.map(account => ({ ...ACCOUNT, ...account })))],
  )
