// A market that never stops: policies that are paid again and again while the services change under it.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  buildChain,
  openPublisher,
  waitFor,
  type ChainMessage,
  type ChainPolicy,
  type TestContext,
} from '@payment-tracking/testkit'

const POLICIES = 4
const PAUSE_MS = 50

export async function buildMarket(t: TestContext, settings: Readonly<Record<string, string>>) {
  const chain = buildChain({ seed: 'upgrade' })
  const publisher = await openPublisher(settings)
  t.teardown(() => publisher.close())
  const published: ChainMessage[] = []
  const payments: ChainMessage[] = []
  const publish = async (message: ChainMessage, times = 1) => {
    // While NATS restarts nothing is acknowledged. What the stream may have taken all the same comes twice.
    for (let time = 0; time < times; time += 1)
      await waitFor(() => publisher.publish(JSON.stringify(message)), { what: 'an acknowledgement by it' })
    published.push(message)
    if (message.event_name === 'PaymentRecord') payments.push(message)
  }

  const gateway = await chain.openGateway()
  await publish(gateway.created)
  const policies: ChainPolicy[] = []
  for (let number = 1; number <= POLICIES; number += 1) {
    const userPayment = await chain.openUserPayment()
    await publish(userPayment.created)
    const policy = await chain.openPolicy(gateway, userPayment, { trackingId: `upgrade-${number}` })
    await publish(policy.created)
    policies.push(policy)
  }

  let isOpen = false
  let trading: Promise<void> | undefined
  const trade = async () => {
    for (let turn = 0; isOpen; turn += 1) {
      const policy = policies[turn % policies.length]!
      if (turn % 10 === 9) await publish(chain.changeStatus(policy, 'Active', 'Paused'))
      await publish(chain.pay(policy), turn % 7 === 6 ? 2 : 1)
      await sleep(PAUSE_MS)
    }
  }
  return {
    gateway,
    policies,
    /** What the stream has acknowledged, each once though some were published twice. */
    published,
    payments,
    /** From now on a payment every few milliseconds. */
    open() {
      isOpen = true
      trading ??= trade()
      // Awaited by `close`; until then its failure must not end the process.
      trading.catch(() => {})
    },
    /** Resolves when the last message is acknowledged. */
    async close() {
      isOpen = false
      await trading
    },
  }
}

export type Market = Awaited<ReturnType<typeof buildMarket>>
