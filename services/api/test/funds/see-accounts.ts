// What nodes see of token accounts, stored as ingest stores it.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { derivePaymentsDelegate, readControlMessage } from '@payment-tracking/domain'
import { commitBatch } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import type { TestDatabase } from '@payment-tracking/testkit'
import { keyOf } from '../open-chain.js'

const PAYMENTS = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)

type Seen = Record<string, unknown>

let sequence = 5_000_000

/** An account with enough for everything. */
export const accountOf = (tokenAccount: string, changes: Seen = {}): Seen => ({
  tokenAccount,
  slot: ++sequence,
  exists: true,
  mint: keyOf('mint'),
  balance: '18446744073709551615',
  delegate: PAYMENTS,
  allowance: '18446744073709551615',
  frozen: false,
  nodes: 2,
  ...changes,
})

/** @param storedAt when the stream stored it; default: now */
export async function see(store: Store, accounts: readonly Seen[], storedAt?: Date): Promise<void> {
  const controls = accounts.map(account => {
    const bytes = Buffer.from(JSON.stringify(account))
    const result = readControlMessage('funds', bytes)
    if (!result.ok) throw new Error(result.refusal.reason)
    const subject = 'chain.events.control.funds'
    return { streamSequence: ++sequence, subject, bytes, control: result.control, storedAt }
  })
  await commitBatch(store, {
    stream: { name: 'SEEN', createdAt: new Date(0) },
    received: [],
    refused: [],
    controls,
  })
}

/** What no event tells: the token account of a wallet, named after it. */
export const nameAccount = (pool: TestDatabase['pool'], name: string, owner = keyOf(name)) =>
  pool.query('update user_payments set token_account = $1 where owner = $2', [
    keyOf(`account of ${name}`),
    owner,
  ])
