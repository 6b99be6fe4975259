// The chain: CPU to decode and authenticate a payment, beside reading and writing the same transaction as JSON.
import { decodeTransaction, type ChainTransaction } from '@payment-tracking/chain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { emitEvent, SimulatedChain, type SimulatedTransaction } from '@payment-tracking/simulator'
import { buildAddress } from '@payment-tracking/testkit'
import type { GateKind } from '../bench.js'

const PAYMENTS = 500
const NAME = 'decode and authenticate a payment'

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

/** Payments as the newest program logs them, run in the virtual machine. */
function listPaidTransactions(): ChainTransaction[] {
  const chain = new SimulatedChain({ programs: [DEFAULT_PROGRAM_ID] })
  for (let n = 0; n < PAYMENTS; n++) {
    chain.advance()
    const payment = {
      payment_policy: buildAddress(`policy ${n}`),
      gateway: buildAddress('gateway'),
      amount: '1000000',
      timestamp: '1780000000',
      memo: [...Buffer.from(`chain-${n}`.padEnd(64, '\0'))],
      record_id: 1,
      payer: buildAddress('payer'),
      recipient: buildAddress('recipient'),
      token_mint: buildAddress('mint'),
    }
    chain.execute([emitEvent(DEFAULT_PROGRAM_ID, 'PaymentRecord', payment)])
  }
  chain.finalize()
  return [...chain.blocks.values()].flatMap(({ slot, transactions }) =>
    transactions.map(each => toChainTransaction(each, slot)),
  )
}

export const decode: GateKind = {
  rows: [NAME],
  open() {
    const transactions = listPaidTransactions()
    const texts = transactions.map(each => JSON.stringify(each))
    const measure = (work: () => void) => () => {
      const before = process.cpuUsage()
      for (let n = 0; n < 4; n++) work()
      const { user, system } = process.cpuUsage(before)
      return Promise.resolve((user + system) / (4 * transactions.length))
    }
    return Promise.resolve([
      {
        name: NAME,
        subject: measure(() => {
          for (const each of transactions) decodeTransaction(each, DEFAULT_PROGRAM_ID)
        }),
        limit: measure(() => {
          for (const text of texts) JSON.stringify(JSON.parse(text))
        }),
      },
    ])
  },
}
