import { measureOf, type Bench } from './bench.js'
import { openPods } from './realtime-pods.js'
import { openSocketLoad, residentKib } from './socket-load.js'

export const bench: Bench = {
  name: 'realtime-connections',
  about: 'memory of a pod for an idle connection with one subscription',
  async run(context) {
    // Each connection is a file on both sides, and one machine has 28,000 ports to one address.
    const count = context.quick ? 500 : 10_000
    const kibs: number[] = []
    const rates: number[] = []
    // When garbage was collected last differs from pod to pod.
    for (let pod = 1; pod <= (context.quick ? 1 : 3); pod++) {
      const { pods } = await openPods(context, 1)
      const { service, url } = pods[0]!
      const warm = await openSocketLoad(url, 200, n => `warm-${n}`)
      warm.close()
      const before = residentKib(service.pid)
      const startedAtMs = performance.now()
      const load = await openSocketLoad(url, count, n => `order-${n}`)
      rates.push((count / (performance.now() - startedAtMs)) * 1_000)
      kibs.push((residentKib(service.pid) - before) / count)
      load.close()
      await service.stop('SIGKILL')
    }
    return [
      {
        subject: `memory for an idle connection, of ${count.toLocaleString('en')}`,
        unit: 'KiB',
        largerIsBetter: false,
        measured: measureOf(kibs),
        note: 'goal: 25 KiB at 10,000; resident memory of the process, kernel buffers not counted',
      },
      {
        subject: 'connected and subscribed, sequence of 100 at a time',
        unit: 'a second',
        largerIsBetter: true,
        measured: measureOf(rates),
      },
    ]
  },
}
