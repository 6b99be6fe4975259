import { inTurns, type Bench } from './bench.js'
import { openBacklog, openEndpoints } from './webhook-rig.js'

const ENDPOINTS = 10

/** What caps over all workers cost: a backlog worked off by a worker that shares them, beside one that does not. */
export const bench: Bench = {
  name: 'webhooks-fleet',
  about: 'deliveries of one worker with WEBHOOK_FLEET_CAPS, beside one without',
  async run(context) {
    const count = context.quick ? 500 : 10_000
    const { urls } = await openEndpoints(context, ENDPOINTS)
    const [sharing, alone] = [
      await openBacklog(context, urls, count, { WEBHOOK_FLEET_CAPS: 'on' }),
      await openBacklog(context, urls, count),
    ]
    const { subject, limit } = await inTurns(context.quick ? 1 : 3, sharing.deliver, alone.deliver)
    return [
      {
        subject: `deliveries of a worker that shares caps, a backlog of ${count}, ${ENDPOINTS} endpoints`,
        unit: 'deliveries/s',
        largerIsBetter: true,
        measured: subject,
        limit: { name: 'a worker with caps of its own', measured: limit },
        note: 'goal: a ratio of 0.95; a request asks Redis nothing',
      },
    ]
  },
}
