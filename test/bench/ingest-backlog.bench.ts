import { readFileSync } from 'node:fs'
import { measureOf, type Bench, type BenchContext } from './bench.js'
import { openFeed } from './feed.js'
import { copyFilled } from './fill.js'
import { addWebhooks, MIX, openBenchStream, readHead, startIngest, waitForHead } from './ingest-stream.js'

/** The most memory that a process ever had, in MiB. */
const peakMib = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024

const PUBLISHED_AT_ONCE = 20_000

/** A process that finds so many messages when it starts. */
async function workOff(context: BenchContext, messages: number) {
  const { url, pool } = await copyFilled(context, context.quick ? 1_000 : 100_000)
  const feed = await openFeed(`backlog ${messages}`)
  await addWebhooks(pool, feed)
  const stream = await openBenchStream(context)
  for (let done = 0; done < messages; done += PUBLISHED_AT_ONCE) {
    await stream.publish(await feed.next(Math.min(PUBLISHED_AT_ONCE, messages - done)))
  }
  context.say(`${messages.toLocaleString('en')} messages wait`)
  const head = messages + (await readHead(pool))
  const ingest = await startIngest(context, url, stream)
  const startedAt = performance.now()
  await waitForHead(pool, head, 280_000)
  const seconds = (performance.now() - startedAt) / 1_000
  const peak = peakMib(ingest.pid)
  await ingest.stop()
  return { perSecond: messages / seconds, peak }
}

export const bench: Bench = {
  name: 'ingest-backlog',
  about: 'a backlog that is there when ingest starts: rate, and the most memory it takes',
  async run(context) {
    const [few, many] = context.quick ? [1_000, 4_000] : [100_000, 1_000_000]
    const small = await workOff(context, few)
    const large = await workOff(context, many)
    const [fewText, manyText] = [few, many].map(n => n.toLocaleString('en'))
    const row = (unit: string, figures: [large: number, small: number]) => ({
      subject: `a backlog of ${manyText!} messages`,
      unit,
      measured: measureOf([figures[0]]),
      limit: { name: `one of ${fewText!}`, measured: measureOf([figures[1]]) },
      note: MIX,
    })
    return [
      { ...row('events/s', [large.perSecond, small.perSecond]), largerIsBetter: true },
      { ...row('MiB at most', [large.peak, small.peak]), largerIsBetter: false },
    ]
  },
}
