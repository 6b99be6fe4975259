// Webhooks: CPU of the worker and its connections of Postgres for one delivery, beside undici that posts the same bytes.
import { backendMicroseconds, cpuMicroseconds } from '../cpu.js'
import { openBacklog, openEndpoints, openLoop } from '../webhook-rig.js'
import type { GateKind } from './gate-kind.js'

const DELIVERIES = 2_000

export const webhooks = (endpoints: number): GateKind => ({
  rows: [`webhooks, endpoints: ${endpoints}`],
  async open(context) {
    const { urls, url } = await openEndpoints(context, endpoints)
    const { rig, deliver } = await openBacklog(context, urls, DELIVERIES)
    const loop = openLoop(context, url, DELIVERIES)
    const used = async () =>
      cpuMicroseconds(rig.worker.pid) + (await backendMicroseconds(rig.database.pool, 'webhook-worker'))
    return [
      {
        name: `webhooks, endpoints: ${endpoints}`,
        async subject() {
          const before = await used()
          await deliver()
          return ((await used()) - before) / DELIVERIES
        },
        async limit() {
          const before = cpuMicroseconds(loop.pid)
          await loop.post()
          return (cpuMicroseconds(loop.pid) - before) / DELIVERIES
        },
      },
    ]
  },
})
