import { decodeTransaction } from '@payment-tracking/chain'
import { measureOf, type Bench } from './bench.js'
import { listPaidTransactions, PROGRAM } from './chain-load.js'

export const bench: Bench = {
  name: 'chain-decode',
  about: 'log grammar, authentication and layouts of one payment, in one thread',
  run({ quick }) {
    const transactions = listPaidTransactions(quick ? 200 : 2_000)
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
