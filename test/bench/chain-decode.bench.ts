import { decodeTransaction, type ChainTransaction } from '@payment-tracking/chain'
import type { SimulatedTransaction } from '@payment-tracking/simulator'
import { measureOf, type Bench } from './bench.js'
import { fillChain, PROGRAM } from './chain-load.js'

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

export const bench: Bench = {
  name: 'chain-decode',
  about: 'log grammar, authentication and layouts of one payment, in one thread',
  run({ quick }) {
    const chain = fillChain(quick ? 200 : 2_000)
    const transactions = [...chain.blocks.values()].flatMap(({ slot, transactions: list }) =>
      list.map(each => toChainTransaction(each, slot)),
    )
    const figures: number[] = []
    for (let round = 0; round <= (quick ? 1 : 10); round++) {
      const before = process.cpuUsage()
      let events = 0
      for (const each of transactions) events += decodeTransaction(each, PROGRAM).events.length
      if (events !== transactions.length)
        throw new Error(`${events} events of ${transactions.length} payments`)
      const { user, system } = process.cpuUsage(before)
      // The first round warms up.
      if (round > 0) figures.push((user + system) / transactions.length)
    }
    return Promise.resolve([
      {
        subject: 'decode and authenticate a payment',
        unit: 'µs of CPU',
        largerIsBetter: false,
        measured: measureOf(figures),
        note: 'goal: 150 µs',
      },
    ])
  },
}
