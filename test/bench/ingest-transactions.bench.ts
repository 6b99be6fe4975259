// What keeping the events of a transaction together costs: the consumer of ingest with and without it, in turns, while
// nothing is stored. A lone event that others usually follow waits for them; a backlog is read as fast as before.
import { openBus, type ConsumerOptions } from '@payment-tracking/bus'
import { subjectOf } from '@payment-tracking/contracts'
import { createLogger } from '@payment-tracking/runtime'
import { waitFor } from '@payment-tracking/testkit'
import { TRANSACTIONS } from '../../services/ingest/src/pipeline/transactions.js'
import { takeTurns, type Bench, type BenchContext } from './bench.js'
import { BATCH_SIZE, openBenchStream } from './ingest-stream.js'

/** A purchase is three events; most transactions are one payment. */
const PURCHASE = ['UserPaymentCreated', 'PaymentPolicyCreated', 'PaymentRecord']
const NAMES = [...PURCHASE, ...Array.from({ length: 7 }, () => 'PaymentRecord')]
const BYTES = Buffer.from(
  JSON.stringify({
    slot: 1,
    index: 0,
    event_name: '',
    signature: '5'.repeat(88),
    data: { memo: 'x'.repeat(400) },
  }),
)
const LONE = 100

type Grouping = Partial<Pick<ConsumerOptions, 'groupOf' | 'isContinued'>>

/** A stream with messages, and a consumer that counts them. */
async function openConsumer(context: BenchContext, grouping: Grouping) {
  const log = createLogger('bench', { LOG_LEVEL: 'silent', ENVIRONMENT: 'production' })
  const bus = await openBus({ NATS_URL: context.servers.natsUrl }, 'bench', log)
  const stream = await openBenchStream(context)
  let handled = 0
  const options = {
    streamName: stream.name,
    subjectPrefix: stream.name,
    consumerName: 'ingest',
    batchSize: BATCH_SIZE,
  }
  const consumer = bus.consume({ ...options, ackWaitMs: 30_000, ...grouping }, messages => {
    handled += messages.length
    return Promise.resolve(undefined)
  })
  return {
    bus,
    publish: (name: string) => bus.publish(subjectOf(stream.name, name), BYTES),
    fill: (count: number) =>
      stream.publish(
        Array.from({ length: count }, (_, at) => ({
          name: NAMES[at % NAMES.length]!,
          bytes: BYTES,
        })) as never,
      ),
    start: () => consumer.start(),
    handled: () => handled,
    close: async () => {
      await consumer.stop()
      await bus.close()
    },
  }
}

export const bench: Bench = {
  name: 'ingest-transactions',
  about: 'what it costs ingest to keep the events of a transaction together; nothing is stored',
  async run(context) {
    const count = context.quick ? 500 : 40_000
    const rounds = context.quick ? 1 : 5
    const backlog = (grouping: Grouping) => async () => {
      const consumer = await openConsumer(context, grouping)
      await consumer.fill(count)
      const startedAt = performance.now()
      await consumer.start()
      await waitFor(() => consumer.handled() === count, { what: 'the backlog', timeoutMs: 60_000 })
      const rate = count / ((performance.now() - startedAt) / 1_000)
      await consumer.close()
      return rate
    }
    /** Milliseconds from the publisher's acknowledgement until the consumer hands a lone event over. */
    const lone = (name: string, grouping: Grouping) => async () => {
      const consumer = await openConsumer(context, grouping)
      await consumer.start()
      let ms = 0
      for (let sent = 1; sent <= LONE; sent++) {
        await consumer.publish(name)
        const at = performance.now()
        while (consumer.handled() < sent) await new Promise(setImmediate)
        ms += performance.now() - at
      }
      await consumer.close()
      return ms / LONE
    }
    const [together, apart] = await takeTurns(rounds, [backlog(TRANSACTIONS), backlog({})])
    const [payment, paymentApart, policy, policyApart] = await takeTurns(rounds, [
      lone('PaymentRecord', TRANSACTIONS),
      lone('PaymentRecord', {}),
      lone('PaymentPolicyCreated', TRANSACTIONS),
      lone('PaymentPolicyCreated', {}),
    ])
    const limit = (measured: typeof apart) => ({ name: 'without it', measured: measured! })
    return [
      {
        subject: 'a backlog through the consumer, 3 events in 10 of a purchase',
        unit: 'messages/s',
        largerIsBetter: true,
        measured: together!,
        limit: limit(apart),
      },
      {
        subject: 'a lone payment until it is handed over',
        unit: 'ms',
        largerIsBetter: false,
        measured: payment!,
        limit: limit(paymentApart),
      },
      {
        subject: 'a lone policy until it is handed over',
        unit: 'ms',
        largerIsBetter: false,
        measured: policy!,
        limit: limit(policyApart),
        note: 'an event that others usually follow waits 10 ms for them',
      },
    ]
  },
}
