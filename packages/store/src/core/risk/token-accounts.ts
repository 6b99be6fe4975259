// What the nodes see of token accounts: one row for each, the newest slot.
import type { ControlMessage, TokenAccountSeen } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { sql, type PipelinedTx } from '../database/sql.js'

/** A control message with the time at which the stream stored it; default: now. */
interface TimedControl {
  control: ControlMessage
  storedAt?: Date | undefined
}

/** An account with the time at which the stream stored what was seen. */
interface TimedAccount extends TokenAccountSeen {
  checkedAt: Date
}

const TOKEN_ACCOUNTS = columnTable<TimedAccount>('a', {
  address: ['text', ({ tokenAccount }) => tokenAccount],
  slot: ['bigint', ({ slot }) => slot],
  checked_at: ['timestamptz', ({ checkedAt }) => checkedAt],
  is_there: ['boolean', ({ exists }) => exists],
  owner: ['text', ({ owner }) => owner],
  mint: ['text', ({ mint }) => mint],
  balance: ['numeric', ({ balance }) => balance],
  delegate: ['text', ({ delegate }) => delegate],
  allowance: ['numeric', ({ allowance }) => allowance],
  frozen: ['boolean', ({ frozen }) => frozen],
  nodes: ['integer', ({ nodes }) => nodes],
  others: ['text', ({ others }) => others],
})

/**
 * SQL: compares with the stored slot. One statement for any number of messages. A slot that is not newer changes nothing, not
 * even the time.
 */
export function writeTokenAccounts(tx: PipelinedTx, controls: readonly TimedControl[]): void {
  const newest = new Map<string, TimedAccount>()
  for (const { control, storedAt = new Date() } of controls) {
    if (control.kind !== 'funds') continue
    const known = newest.get(control.tokenAccount)
    if (known === undefined || control.slot > known.slot)
      newest.set(control.tokenAccount, { ...control, checkedAt: storedAt })
  }
  if (newest.size === 0) return
  // In the order of the key, so that two transactions never wait for each other.
  const accounts = [...newest.values()].sort((a, b) => (a.tokenAccount < b.tokenAccount ? -1 : 1))
  tx.send(sql`
    insert into token_accounts as t (${TOKEN_ACCOUNTS.names}) select * from ${TOKEN_ACCOUNTS.listOf(accounts)}
    on conflict (address) do update set ${TOKEN_ACCOUNTS.excluded} where excluded.slot > t.slot`)
}
