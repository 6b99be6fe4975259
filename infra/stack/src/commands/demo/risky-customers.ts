// Three customers of the demo's shop whose next payment will fail, and what nodes would see of their token accounts. The
// same gateway has the same three, so that a later start goes on with them.
import { controlSubjectOf } from '@payment-tracking/contracts'
import { derivePaymentsDelegate } from '@payment-tracking/domain'
import { buildAddress, buildChain, type ChainGateway, type ChainMessage } from '../../chain/index.js'
import { CENT, USDC } from '../tokens.js'
import { slotAt } from './shop-history.js'

const DAY_MS = 86_400_000
const JOINED_DAYS_AGO = 27
const PRICE = 999n * CENT

interface Customer {
  name: string
  dueInDays: number
  balance: bigint
  /** null: another program was approved instead */
  allowance: bigint | null
}

const CUSTOMERS: readonly Customer[] = [
  { name: 'niklaus', dueInDays: 1, balance: 320n * CENT, allowance: 12n * PRICE },
  { name: 'frances', dueInDays: 1.5, balance: 90n * PRICE, allowance: null },
  { name: 'john', dueInDays: 2, balance: 40n * PRICE, allowance: 5n * CENT },
]

export interface RiskyCustomers {
  /** their past */
  messages: ChainMessage[]
  /** what nodes see now: lines for a publisher */
  seeAccounts(): string[]
}

/** @param endMs their past ends then */
export async function buildRiskyCustomers(
  { gateway, recipient }: { gateway: ChainGateway; recipient: string },
  { programId, prefix, endMs }: { programId: string; prefix: string; endMs: number },
): Promise<RiskyCustomers> {
  const joinedMs = endMs - JOINED_DAYS_AGO * DAY_MS
  const chain = buildChain({
    seed: `demo/risky/${gateway.address}`,
    programId,
    firstSlot: slotAt(joinedMs),
    now: () => joinedMs,
  })
  const messages: ChainMessage[] = []
  const accounts: (Customer & { owner: string; tokenAccount: unknown })[] = []
  for (const customer of CUSTOMERS) {
    const wallet = await chain.openUserPayment(USDC.mint)
    const policy = await chain.openPolicy(gateway, wallet, {
      trackingId: `${customer.name}-monthly`,
      recipient,
      amount: PRICE,
      frequency: 'Monthly',
      nextPaymentDue: Math.floor((endMs + customer.dueInDays * DAY_MS) / 1000),
    })
    messages.push(wallet.created, policy.created, chain.pay(policy))
    accounts.push({ ...customer, owner: wallet.owner, tokenAccount: wallet.created.data.token_account })
  }
  const payments = derivePaymentsDelegate(programId)
  return {
    messages,
    seeAccounts: () =>
      accounts.map(({ name, tokenAccount, owner, balance, allowance }) =>
        JSON.stringify({
          subject: controlSubjectOf(prefix, 'funds'),
          message: {
            tokenAccount,
            slot: slotAt(Date.now()),
            exists: true,
            owner,
            mint: USDC.mint,
            balance: balance.toString(),
            delegate: allowance === null ? buildAddress(`another program of ${name}`) : payments,
            allowance: (allowance ?? balance).toString(),
            frozen: false,
            nodes: 2,
          },
        }),
      ),
  }
}
