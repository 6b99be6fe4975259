// A chain for the benches: payments that run in the virtual machine, and nodes in this process that tell of them.
import type { ChainTransaction } from '@payment-tracking/chain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  emitEvent,
  SimulatedChain,
  type PuppetCall,
  type SimulatedTransaction,
} from '@payment-tracking/simulator'
import { buildAddress } from '@payment-tracking/testkit'

export const PROGRAM = DEFAULT_PROGRAM_ID
export const trackingIdOf = (n: number): string => `chain-${n}`

/** Keys are made once: making one costs more than a transaction. */
const addresses = new Map<string, string>()
function addressOf(name: string): string {
  const known = addresses.get(name) ?? buildAddress(name)
  addresses.set(name, known)
  return known
}

/** A payment as the newest program logs it. */
export const paymentCall = (policy: number, recordId: number): PuppetCall =>
  emitEvent(PROGRAM, 'PaymentRecord', {
    payment_policy: addressOf(`policy ${policy}`),
    gateway: addressOf('gateway'),
    amount: '1000000',
    timestamp: '1780000000',
    memo: [...Buffer.from(trackingIdOf(policy).padEnd(64, '\0'))],
    record_id: recordId,
    payer: addressOf('payer'),
    recipient: addressOf('recipient'),
    token_mint: addressOf('mint'),
  })

const POLICIES = 500
const A_BLOCK = 10

/** A chain with so many payments, all final. */
export function fillChain(payments: number): SimulatedChain {
  const chain = new SimulatedChain({ programs: [PROGRAM] })
  for (let n = 0; n < payments; n++) {
    if (n % A_BLOCK === 0) chain.advance()
    chain.execute([paymentCall(n % POLICIES, Math.floor(n / POLICIES) + 1)])
  }
  chain.finalize()
  return chain
}

/** As the indexer joins a node's answer. */
function toChainTransaction(raw: SimulatedTransaction, slot: number): ChainTransaction {
  const describe = ({ programIdIndex, data }: { programIdIndex: number; data: string }) => ({
    programId: raw.accountKeys[programIdIndex]!,
    data,
    stackHeight: null,
  })
  return {
    signature: raw.signature,
    slot,
    transactionIndex: 0,
    blockTime: 1_780_000_000,
    failed: false,
    logMessages: raw.logMessages,
    hasInnerInstructions: true,
    instructions: raw.instructions.map((instruction, at) => ({
      instruction: describe(instruction),
      inner: (raw.inner.find(({ index }) => index === at)?.instructions ?? []).map(describe),
    })),
  }
}

/** So many payments, as the decoder gets them. */
export const listPaidTransactions = (payments: number): ChainTransaction[] =>
  [...fillChain(payments).blocks.values()].flatMap(({ slot, transactions }) =>
    transactions.map(each => toChainTransaction(each, slot)),
  )
