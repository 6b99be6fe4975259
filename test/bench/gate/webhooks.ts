// Webhooks: CPU of the worker and its connections of Postgres for one delivery, beside a bare worker of BullMQ that posts the same bytes.
import type { GateKind } from '../bench.js'
import { cpuMicroseconds, watchBackends } from '../cpu.js'
import { openBacklog, openEndpoints, openBareWorker } from '../webhook-rig.js'

/** So many that the first turn, which does not count, makes the code as quick as it stays: with half of them, four turns were needed. */
const DELIVERIES = 4_000

export const webhooks = (endpoints: number): GateKind => ({
  rows: [`webhooks, endpoints: ${endpoints}`],
  async open(context) {
    const urls = await openEndpoints(context, endpoints)
    const { rig, deliver } = await openBacklog(context, urls, DELIVERIES)
    const bare = openBareWorker(context, urls, DELIVERIES)
    return [
      {
        name: `webhooks, endpoints: ${endpoints}`,
        async subject() {
          const before = cpuMicroseconds(rig.worker.pid)
          const backends = await watchBackends(rig.database.pool, 'webhook-worker')
          await deliver()
          return (cpuMicroseconds(rig.worker.pid) - before + (await backends())) / DELIVERIES
        },
        async limit() {
          const before = cpuMicroseconds(bare.pid)
          await bare.post()
          return (cpuMicroseconds(bare.pid) - before) / DELIVERIES
        },
      },
    ]
  },
})
