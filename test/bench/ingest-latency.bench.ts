import { natsOptions } from '@payment-tracking/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'nats'
import { measureOf, percentile, type Bench } from './bench.js'
import { openFeed } from './feed.js'
import { copyFilled } from './fill.js'
import { addWebhooks, MIX, openBenchStream, startIngest } from './ingest-stream.js'

const PER_SECOND = 100
/** Of an acknowledgement's subject, where the stream's sequence stands. */
const SEQUENCE_AT = 5

export const bench: Bench = {
  name: 'ingest-latency',
  about: `lone messages at ${PER_SECOND} a second: from being published to their acknowledgement, which follows the commit`,
  async run(context) {
    const { url, pool } = await copyFilled(context, context.quick ? 1_000 : 100_000)
    const feed = await openFeed('latency')
    await addWebhooks(pool, feed)
    const stream = await openBenchStream(context)
    await startIngest(context, url, stream)
    const connection = await connect(natsOptions(context.servers.natsUrl))
    context.teardown(() => connection.close())
    const sentAt = new Map<number, number>()
    let times: number[] = []
    connection.subscribe(`$JS.ACK.${stream.name}.>`, {
      callback: (_, { subject }) => {
        const at = sentAt.get(Number(subject.split('.')[SEQUENCE_AT]))
        if (at !== undefined) times.push(performance.now() - at)
      },
    })
    await connection.flush()
    let sequence = 0
    const run = async (seconds: number) => {
      const messages = await feed.next(seconds * PER_SECOND)
      const startedAt = performance.now()
      for (const [index, message] of messages.entries()) {
        const earlyMs = startedAt + (index * 1_000) / PER_SECOND - performance.now()
        if (earlyMs > 0) await sleep(earlyMs)
        sentAt.set(++sequence, performance.now())
        await stream.publish([message])
      }
    }
    const rounds = context.quick ? 1 : 3
    const measured: Record<string, number[]> = { p50: [], p99: [], 'p99.9': [] }
    for (let round = 0; round <= rounds; round++) {
      times = []
      await run(context.quick ? 1 : 20)
      if (round === 0) continue
      for (const [name, figures] of Object.entries(measured)) {
        figures.push(percentile(times, Number(name.slice(1)) / 100))
      }
    }
    return Object.entries(measured).map(([name, figures]) => ({
      subject: `${PER_SECOND} messages/s, published → committed, ${name}`,
      unit: 'ms',
      largerIsBetter: false,
      measured: measureOf(figures),
      note: `${MIX}; goal: p99 below 30 ms`,
    }))
  },
}
