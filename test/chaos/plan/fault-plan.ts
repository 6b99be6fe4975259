// Which faults, where and when: a pure function of seed and length.
import { buildRandom } from '@payment-tracking/testkit'

export const SERVICES = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops'] as const
export type ServiceName = (typeof SERVICES)[number]
export const SERVERS = ['postgres', 'redis', 'nats'] as const
export type ServerName = (typeof SERVERS)[number]

/** Which servers a service speaks to. */
export const LINKS: Record<ServiceName, readonly ServerName[]> = {
  ingest: ['postgres', 'redis', 'nats'],
  api: ['postgres', 'redis'],
  realtime: ['postgres', 'redis'],
  'webhook-worker': ['postgres', 'redis'],
  ops: ['postgres', 'redis', 'nats'],
}

/** Two of each service; `ingest-1`. */
export const REPLICAS = 2

export type Fault =
  | { kind: 'kill' | 'terminate'; target: string }
  | { kind: 'pause'; target: string; forMs: number }
  | { kind: 'kill-server'; target: ServerName; forMs: number }
  | { kind: 'pause-server'; target: ServerName; forMs: number }
  | { kind: 'flush'; target: 'redis' }
  | { kind: 'fill-stream'; target: 'nats'; forMs: number }
  | { kind: 'delete-consumer'; target: 'nats' }
  /** `lostMs`: for so long commits reach the primary alone */
  | { kind: 'promote-standby'; target: 'postgres'; lostMs: number }
  | { kind: 'cut'; target: string; server: ServerName }
  | { kind: 'stall' | 'slow'; target: string; server: ServerName; forMs: number }

export type FaultStep = Fault & { atMs: number }

export const serviceOf = (process: string): ServiceName => process.replace(/-\d+$/, '') as ServiceName

/** Sockets and leases end with a pause that outlasts them, so pauses go beyond both. */
const LONGEST_PAUSE_MS = 6_000
const LONGEST_OUTAGE_MS = 2_500

/** On average one fault in `everyMs`; many last into the next ones. */
export function planFaults(seed: string, lengthMs: number, everyMs: number): FaultStep[] {
  const random = buildRandom(seed, 'faults')
  const processes = SERVICES.flatMap(service =>
    Array.from({ length: REPLICAS }, (_, index) => `${service}-${index + 1}`),
  )
  const link = () => {
    const target = random.pick(processes)
    return { target, server: random.pick(LINKS[serviceOf(target)]) }
  }
  const draw = (): Fault => {
    const die = random.next()
    if (die < 0.2) return { kind: 'kill', target: random.pick(processes) }
    if (die < 0.3) return { kind: 'terminate', target: random.pick(processes) }
    if (die < 0.45) {
      return { kind: 'pause', target: random.pick(processes), forMs: random.between(200, LONGEST_PAUSE_MS) }
    }
    if (die < 0.6) {
      return {
        kind: 'kill-server',
        target: random.pick(SERVERS),
        forMs: random.between(0, LONGEST_OUTAGE_MS),
      }
    }
    if (die < 0.65) {
      return {
        kind: 'pause-server',
        target: random.pick(SERVERS),
        forMs: random.between(200, LONGEST_OUTAGE_MS),
      }
    }
    if (die < 0.7) return { kind: 'flush', target: 'redis' }
    if (die < 0.73) return { kind: 'fill-stream', target: 'nats', forMs: random.between(300, 2_000) }
    if (die < 0.75) return { kind: 'delete-consumer', target: 'nats' }
    if (die < 0.84) return { kind: 'cut', ...link() }
    if (die < 0.92) return { kind: 'stall', ...link(), forMs: random.between(300, 4_000) }
    return { kind: 'slow', ...link(), forMs: random.between(1_000, 6_000) }
  }
  const steps: FaultStep[] = []
  for (let atMs = everyMs; atMs < lengthMs; atMs += random.between(everyMs / 4, (everyMs * 7) / 4)) {
    steps.push({ atMs: Math.round(atMs), ...draw() })
  }
  return steps
}

/** A standby replaces its primary once, in the middle of a run: there is one standby. */
export function planPromotion(seed: string, lengthMs: number): FaultStep {
  const random = buildRandom(seed, 'promotion')
  const atMs = Math.round(lengthMs * (0.35 + random.next() * 0.2))
  return { kind: 'promote-standby', target: 'postgres', lostMs: random.between(500, 3_000), atMs }
}

/** Sentinels need some two seconds to put the replica in the place of a primary that is gone. */
const FAILOVER_MS = 8_000

/** In the middle of a run the primary of Redis is gone for so long that its replica takes over. */
export function planFailover(seed: string, lengthMs: number): FaultStep {
  const random = buildRandom(seed, 'failover')
  const atMs = Math.round(lengthMs * (0.3 + random.next() * 0.2))
  return { kind: 'kill-server', target: 'redis', forMs: FAILOVER_MS, atMs }
}
