// The chain: CPU to decode and authenticate a payment, beside reading and writing the same transaction as JSON.
import { decodeTransaction } from '@payment-tracking/chain'
import { listPaidTransactions, PROGRAM } from '../chain-load.js'
import type { GateKind } from './gate-kind.js'

export const decode: GateKind = {
  rows: ['decode and authenticate a payment'],
  open() {
    const transactions = listPaidTransactions(500)
    const texts = transactions.map(each => JSON.stringify(each))
    const measure = (work: () => void) => () => {
      const before = process.cpuUsage()
      for (let n = 0; n < 4; n++) work()
      const { user, system } = process.cpuUsage(before)
      return Promise.resolve((user + system) / (4 * transactions.length))
    }
    return Promise.resolve([
      {
        name: 'decode and authenticate a payment',
        subject: measure(() => {
          for (const each of transactions) decodeTransaction(each, PROGRAM)
        }),
        limit: measure(() => {
          for (const text of texts) JSON.stringify(JSON.parse(text))
        }),
      },
    ])
  },
}
