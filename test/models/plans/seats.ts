// What seats.qnt is searched with, and its mutants.
import type { Bounds, ModelPlan } from '../model-plan.js'

/** Ticks of half a lease, without drift. */
const COARSE: Bounds = { LEASE: '2', FENCE: '1', RECOVERY: '3', DRIFTS: 'false' }
/** Redis keeps everything, and pods begin anew. */
const PAUSED: Bounds = { ...COARSE, LOSSES: '0' }
/** The same with clocks that drift, without a second lease. */
const DRIFTING: Bounds = { ...PAUSED, BEGINS: '1', DRIFTS: 'true' }
const FLUSHED: Bounds = { ...COARSE, BEGINS: '1' }
const FAILED_OVER: Bounds = { ...FLUSHED, LOSS: '"failover"' }

export const SEATS: ModelPlan = {
  name: 'seats',
  searches: [PAUSED, DRIFTING, FLUSHED, FAILED_OVER],
  mutants: [
    {
      name: 'a lease that runs from the answer, not from the call',
      find: 'fence: if (pod.call.age < FENCE) FENCE - pod.call.age else 0',
      replace: 'fence: FENCE',
      breaks: 'capped',
      bounds: DRIFTING,
    },
    {
      name: 'a fence without a margin for clocks that drift',
      find: 'fence: if (pod.call.age < FENCE) FENCE - pod.call.age else 0',
      replace: 'fence: LEASE - pod.call.age',
      breaks: 'capped',
      bounds: DRIFTING,
    },
    {
      name: 'a pod that began anew and sends before it has renewed',
      find: '...pod.giving(gone).sent("renew"), held: kept',
      replace: '...pod.giving(gone).extended(), held: kept',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'a takeover that waits for nobody',
      find: 'if (ask.wait > 0) held else',
      replace: 'if (false) held else',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'a renewal that tells of no takeover',
      find: 'told: redis.evict.exclude(pod.heard).filter(x => x.name == name)',
      replace: 'told: Set()',
      breaks: 'capped',
      bounds: PAUSED,
    },
    {
      name: 'newcomers right after a flush',
      find: 'if (not(redis.isLiving(seat.name)) or redis.recovery > 0) at',
      replace: 'if (not(redis.isLiving(seat.name))) at',
      breaks: 'capped',
      bounds: { ...FLUSHED, BEGINS: '2' },
    },
    {
      name: 'a standby that counts as the server before it',
      find: 'if (st.redis.ranOn == st.redis.server) st',
      replace: 'if (st.redis.ranOn > 0) st',
      breaks: 'capped',
      bounds: FAILED_OVER,
    },
    {
      // Not promised: docs/reliability.md.
      name: 'data from before the first pod joined, which says that nobody holds a seat',
      find: 'standby: FIRST, used',
      replace: 'standby: { ...EMPTY, ranOn: 2, generation: 1 }, used',
      breaks: 'capped',
      bounds: { ...FAILED_OVER, BEGINS: '2' },
    },
  ],
}
