import type { DueAccount, DueAccounts } from '@payment-tracking/contracts'
import { sql, type Store } from '../../core/database/sql.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'
import { newestFact } from '../../core/risk/program-facts.js'
import { listWatchedPolicies, readWatchedKey, writeWatchedKey } from '../../core/risk/watched-policies.js'

/** Policies of one answer: some 150 KB, where a message of NATS holds 1 MB. */
const POLICIES_AT_ONCE = 500

interface DueAccountRow extends Omit<DueAccount, 'owners'> {
  recipient: string
  feeRecipient: string | null
  protocolFeeRecipient: string | null
}

/**
 * The token accounts that watched payments need, a page at a time. Answers the indexer, which keeps only what it published last: a list
 * of its own would be a second truth.
 * @param after `next` of the page before
 */
export async function listDueAccounts(store: Store, after: string | null): Promise<DueAccounts> {
  const key = after === null ? null : (readWatchedKey(after) ?? null)
  const { addresses, next } = await listWatchedPolicies(store, key, POLICIES_AT_ONCE)
  const rows = addresses.length === 0 ? [] : await readNeeds(store, addresses)
  return { accounts: rows.map(toAccount), next: next && writeWatchedKey(next) }
}

const readNeeds = ({ database }: Store, addresses: readonly string[]): Promise<readonly DueAccountRow[]> =>
  database.read<DueAccountRow>(sql`
    select u.token_account as "tokenAccount", ${POLICY_MINT} as "tokenMint", p.recipient,
           ${newestFact('fee_recipient', sql`p.gateway`)} as "feeRecipient",
           (select ${newestFact('fee_recipient', sql`''`)}) as "protocolFeeRecipient"
      from policies p ${WITH_USER_PAYMENT}
     where p.address = any(${[...addresses]}::text[]) and u.token_account is not null and ${POLICY_MINT} is not null`)

const toAccount = ({ tokenAccount, tokenMint, ...of }: DueAccountRow): DueAccount => {
  const owners = [of.recipient, of.feeRecipient, of.protocolFeeRecipient].filter(owner => owner !== null)
  return { tokenAccount, tokenMint, owners: [...new Set(owners)] }
}
