// A whole run, from its seed: nothing in here knows a clock, a process or a server.
import { planFailover, planFaults, planPromotion, type FaultStep } from './fault-plan.js'
import { planLoad, type LoadPlan } from './load-plan.js'
import { planClients, type ClientPlan } from './socket-plan.js'

export interface Plan {
  seed: string
  lengthMs: number
  load: LoadPlan
  clients: ClientPlan[]
  faults: FaultStep[]
  /** Redis stands behind Sentinels. */
  sentinels: boolean
}

export interface PlanOptions {
  seed: string
  seconds: number
  /** on average one fault in so many milliseconds; 0: none */
  faultEveryMs: number
  messageEveryMs: number
  /** whether a standby that lacks commits replaces its primary once */
  promotion?: boolean
  /** whether Redis stands behind Sentinels, which fail over at least once */
  sentinels?: boolean
}

export async function buildPlan(options: PlanOptions): Promise<Plan> {
  const { seed, seconds, faultEveryMs, messageEveryMs, promotion = false, sentinels = false } = options
  const lengthMs = seconds * 1_000
  const load = await planLoad(seed, lengthMs, messageEveryMs)
  return {
    seed,
    lengthMs,
    load,
    clients: planClients(seed, lengthMs, load.trackingIds.slice(0, -1)),
    sentinels,
    faults: [
      ...(faultEveryMs === 0 ? [] : planFaults(seed, lengthMs, faultEveryMs)).filter(
        // Services connect to the address that Sentinels name: no link stands between. A primary that hangs until its replica
        // is promoted goes on as a second primary, which docs/realtime.md excepts.
        fault =>
          !sentinels ||
          !(fault.kind === 'pause-server'
            ? fault.target === 'redis'
            : 'server' in fault && fault.server === 'redis'),
      ),
      ...(promotion ? [planPromotion(seed, lengthMs)] : []),
      ...(sentinels ? [planFailover(seed, lengthMs)] : []),
    ].sort((a, b) => a.atMs - b.atMs),
  }
}
