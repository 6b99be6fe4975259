// Does what a step of the plan says.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Publisher } from '../load/publisher.js'
import type { Fault, FaultStep } from '../plan/fault-plan.js'
import type { System } from '../system/open-system.js'

/** Latency added to each piece, in each direction. */
const SLOW_BY_MS = 120

/** @param onPromotion called just before and just after a standby is promoted, with the last position that it has */
export function openInjector(system: System, publisher: Publisher, onPromotion: (kept: number) => void) {
  const redis = system.openRedis()
  const injected: string[] = []
  /** Faults of one server, or of one process, take turns: it cannot be killed twice at the same time. */
  const turns = new Map<string, Promise<void>>()
  const hit = async (fault: Fault): Promise<void> => {
    switch (fault.kind) {
      case 'kill':
        return system.process(fault.target).signal('SIGKILL')
      case 'terminate':
        return system.process(fault.target).signal('SIGTERM')
      case 'pause':
        system.process(fault.target).signal('SIGSTOP')
        await sleep(fault.forMs)
        return system.process(fault.target).signal('SIGCONT')
      case 'kill-server': {
        const server = system.server(fault.target)
        await server.kill()
        await sleep(fault.forMs)
        return server.restart()
      }
      case 'pause-server': {
        const { pid } = system.server(fault.target)
        process.kill(pid, 'SIGSTOP')
        await sleep(fault.forMs)
        return void process.kill(pid, 'SIGCONT')
      }
      case 'flush':
        return void (await redis.flushall())
      case 'fill-stream':
        return publisher.fill(fault.forMs)
      case 'delete-consumer':
        return publisher.deleteConsumer()
      case 'promote-standby': {
        const pair = system.pair!
        await pair.standbyCaughtUp()
        await pair.cutReplication()
        await sleep(fault.lostMs)
        const kept = await system.standbyPosition()
        onPromotion(kept)
        await pair.promote()
        return onPromotion(kept)
      }
      case 'cut':
        return system.link(fault.target, fault.server).cut()
      case 'stall': {
        const link = system.link(fault.target, fault.server)
        link.stall(true)
        await sleep(fault.forMs)
        return link.stall(false)
      }
      case 'slow': {
        const link = system.link(fault.target, fault.server)
        link.slow(SLOW_BY_MS)
        await sleep(fault.forMs)
        return link.slow(0)
      }
    }
  }

  return {
    injected,
    /** Begins a fault and returns at once. */
    inject(step: FaultStep) {
      const key = 'server' in step ? `${step.target} ${step.server}` : step.target
      const before = turns.get(key) ?? Promise.resolve()
      turns.set(
        key,
        before.then(() => {
          injected.push(`${step.kind} ${step.target}`)
          return hit(step)
        }),
      )
    },
    /** Resolves when every fault is lifted. */
    async drain() {
      await Promise.all(turns.values())
    },
    close: () => redis.disconnect(),
  }
}
