// The policies of a wallet, and of its payment accounts. A wallet can have any number of both, so each step has a bound.
import { raw, sql, type Sql } from '../../core/database/sql.js'

/** Payment accounts of a wallet that a search looks at: a wallet has one for each token. */
const MOST_ACCOUNTS = raw('1000')
/** Policies that a search looks at for each account, the newest, and in all. */
const MOST_POLICIES = raw('1000')
const MOST_FOUND = raw('10000')

/** The addresses of a wallet's payment accounts, at most 1,000. Relies on user_payments_owner_token_mint_idx. */
export const accountsOf = (wallet: string): Sql =>
  sql`select address from user_payments where owner = ${wallet} order by owner, token_mint limit ${MOST_ACCOUNTS}`

/**
 * The policies of a wallet's payment accounts as rows of `policies`: of each account the newest 1,000, and 10,000 in all.
 * Relies on policies_user_payment_idx.
 * @param condition on the policy `q`
 */
export const policiesOfWallet = (wallet: string, condition: Sql): Sql => sql`
  select q.* from (${accountsOf(wallet)}) a
   cross join lateral (
     select * from policies q where q.user_payment = a.address and ${condition}
      order by q.created_at desc, q.address desc limit ${MOST_POLICIES}) q
   limit ${MOST_FOUND}`
