import type { FilledEvents } from '@payment-tracking/testkit'
import { inTurns, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { openFilled } from './fill.js'
import { startBenchApi } from './start-bench-api.js'

/** What is asked, by the answer that is promised to take the same time however much is stored. */
const questions = (filled: FilledEvents, count: number): Record<string, string> => {
  const [gateway, policy, trackingId] = [filled.gateways[3]!, filled.policies[7]!, filled.trackingIds[7]!]
  const middle = Math.floor(count / 2)
  const time = `startTime=${filled.timeOf(middle).toISOString()}&endTime=${filled.timeOf(middle + 5_000).toISOString()}`
  const cursor = Buffer.from(
    `t ${filled.timeOf(middle).getTime()} ${filled.slotOf(middle)} 0 00000000-0000-4000-8000-000000000000`,
  ).toString('base64url')
  return {
    names: '/v1/events/names',
    count: '/v1/events/count',
    'count of a name': '/v1/events/count?eventName=PaymentRecord',
    'count between times': `/v1/events/count?${time}`,
    stats: '/v1/events/payments/stats',
    'stats of a gateway': `/v1/events/payments/stats?gateway=${gateway}`,
    'stats of a gateway between times': `/v1/events/payments/stats?gateway=${gateway}&${time}`,
    events: '/v1/events',
    'events, cursor in the middle': `/v1/events?cursor=${cursor}`,
    'events, offset 1,000': '/v1/events?offset=1000',
    'events of a name': '/v1/events?eventName=PaymentPolicyCreated',
    'events of a gateway': `/v1/events?gateway=${gateway}`,
    'events of a gateway between times': `/v1/events?gateway=${gateway}&${time}`,
    'events of a gateway and name': `/v1/events?gateway=${gateway}&eventName=PaymentPolicyStatusChanged&limit=5`,
    'events of a policy': `/v1/events?paymentPolicy=${policy}`,
    'events of a tracking ID and name': `/v1/events?trackingId=${trackingId}&eventName=PaymentRecord`,
    'events of a name between times': `/v1/events?eventName=PaymentRecord&${time}`,
    'events below a slot': `/v1/events?maxSlot=${filled.slotOf(middle)}`,
    'payments of a tracking ID': `/v1/onetime/${trackingId}`,
    'a subscription': `/v1/subscriptions?trackingId=${trackingId}`,
  }
}

interface Asked {
  questions: Record<string, string>
  ask: (path: string) => Promise<number>
}

async function openApiOver(context: BenchContext, count: number): Promise<Asked> {
  const { url, filled } = await openFilled(context, count)
  const { ask } = await startBenchApi(context, url)
  return { questions: questions(filled, count), ask }
}

export const bench: Bench = {
  name: 'reads',
  about: 'the same question over 10 thousand, a million and five million events, one client, in turns',
  async run(context) {
    const [few, ...more] = context.quick ? [1_000, 2_000] : [10_000, 1_000_000, 5_000_000]
    const [ROUNDS, PER_ROUND, WARM_UP] = context.quick ? [1, 2, 1] : [10, 20, 200]
    const rows: Row[] = []
    for (const many of more) {
      // Both start afresh: a process that has answered for longer answers faster.
      const [small, large] = [await openApiOver(context, few), await openApiOver(context, many)]
      for (const { ask, questions } of [small, large]) {
        for (const path of Object.values(questions)) for (let n = 0; n < WARM_UP; n++) await ask(path)
      }
      for (const name of Object.keys(large.questions)) {
        const median = async ({ ask, questions }: Asked) => {
          const times: number[] = []
          for (let n = 0; n < PER_ROUND; n++) times.push(await ask(questions[name]!))
          return percentile(times, 0.5)
        }
        const { subject, limit } = await inTurns(
          ROUNDS,
          () => median(large),
          () => median(small),
        )
        rows.push({
          subject: `${name}, ${many.toLocaleString('en')} events`,
          unit: 'ms p50',
          largerIsBetter: false,
          measured: subject,
          limit: { name: `${few.toLocaleString('en')} events`, measured: limit },
          note: 'goal: at most 1.5 times as long as over 10 thousand events',
        })
      }
      context.say(`${many.toLocaleString('en')} events done`)
    }
    return rows
  },
}
