// How soon a shop gets its own payments while strangers pay dust that its endpoint refuses: judged by the clock.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openDustyShop, indexOf } from './support/pay-dust.js'

for (const status of [404, 500])
  t.test(
    `beside 1,000 payments of dust answered ${status}, 99 of 100 own payments arrive within 2 s`,
    async t => {
      const { receiver, pay } = await openDustyShop(t, { status })
      const dust = pay('dust', 1_000)
      const lates: number[] = []
      for (let n = 0; n < 200; n++) {
        const paidAt = Date.now()
        const [order] = await pay('own', 1)
        const index = () => indexOf(receiver.requests, order!)
        await waitFor(() => index() >= 0, { what: order!, timeoutMs: 60_000 })
        lates.push(receiver.requests[index()]!.receivedAtMs - paidAt)
      }
      await dust
      lates.sort((a, b) => a - b)
      t.comment(`p50 ${lates[100]} ms, p99 ${lates[197]} ms, longest ${lates[199]} ms`)
      t.ok(lates[197]! <= 2_000, `p99 ${lates[197]} ms`)
    },
  )
