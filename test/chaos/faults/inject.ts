// Does what a step of the plan says, and measures how long it took until what it hit was whole again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Recorder } from '../../history/recorder.js'
import type { Publisher } from '../load/publisher.js'
import { nameOfFault, type Fault, type FaultStep } from '../plan/fault-plan.js'
import type { System } from '../system/open-system.js'

export interface Injected {
  fault: FaultStep
  name: string
  /** When it began, and when its cause was gone (`performance.now()`). */
  beganMs: number
  liftedMs: number
  /** From there until all that was hit answered ready; null when the run ended before. */
  readyAfterMs: number | null
}

export interface Injector {
  injected: Injected[]
  /** Begins a fault and returns at once. */
  inject(step: FaultStep): void
  /** Resolves when every fault is lifted. */
  drain(): Promise<void>
  close(): void
}

/** Latency added to each piece, in each direction. */
const SLOW_BY_MS = 120

/** @param onPromotion called just before and just after a standby is promoted */
export function openInjector(
  system: System,
  publisher: Publisher,
  recorder: Recorder,
  onPromotion: () => void,
): Injector {
  const redis = system.openRedis()
  const injected: Injected[] = []
  const running = new Set<Promise<void>>()
  /** Faults of one server, or of one process, take turns: it cannot be killed twice at the same time. */
  const turns = new Map<string, Promise<void>>()
  const everybody = system.processes.map(({ name }) => name)

  /** @returns whose readiness tells that it is over */
  const hit = async (fault: Fault): Promise<readonly string[]> => {
    switch (fault.kind) {
      case 'kill':
        system.process(fault.target).signal('SIGKILL')
        return [fault.target]
      case 'terminate':
        system.process(fault.target).signal('SIGTERM')
        return [fault.target]
      case 'pause':
        system.process(fault.target).signal('SIGSTOP')
        await sleep(fault.forMs)
        system.process(fault.target).signal('SIGCONT')
        return [fault.target]
      case 'kill-server': {
        const server = system.server(fault.target)
        await server.kill()
        await sleep(fault.forMs)
        await server.restart()
        return everybody
      }
      case 'pause-server': {
        const { pid } = system.server(fault.target)
        process.kill(pid, 'SIGSTOP')
        await sleep(fault.forMs)
        process.kill(pid, 'SIGCONT')
        return everybody
      }
      case 'flush':
        await redis.flushall()
        return everybody
      case 'fill-stream':
        await publisher.fill(fault.forMs)
        return everybody.filter(name => name.startsWith('ingest'))
      case 'delete-consumer':
        await publisher.deleteConsumer()
        return everybody.filter(name => name.startsWith('ingest'))
      case 'discard': {
        const links = system.processes
          .filter(({ name }) => name.startsWith('ingest'))
          .map(({ name }) => system.link(name, 'nats'))
        // Stalled links let no process of ingest connect again before the messages are gone.
        await publisher.discard(() => {
          for (const link of links) {
            link.stall(true)
            link.cut()
          }
        })
        for (const link of links) {
          link.cut()
          link.stall(false)
        }
        return everybody.filter(name => name.startsWith('ingest'))
      }
      case 'promote-standby': {
        const pair = system.pair!
        await pair.standbyCaughtUp()
        await pair.cutReplication()
        await sleep(fault.lostMs)
        const kept = await system.standbyPosition()
        recorder.note({ what: 'loss', kept })
        onPromotion()
        await pair.promote()
        onPromotion()
        return everybody
      }
      case 'cut':
        system.link(fault.target, fault.server).cut()
        return [fault.target]
      case 'stall':
      case 'slow': {
        const link = system.link(fault.target, fault.server)
        if (fault.kind === 'stall') link.stall(true)
        else link.slow(SLOW_BY_MS)
        await sleep(fault.forMs)
        if (fault.kind === 'stall') link.stall(false)
        else link.slow(0)
        return [fault.target]
      }
    }
  }

  const run = async (fault: FaultStep, before: Promise<void>): Promise<void> => {
    await before
    const record: Injected = {
      fault,
      name: nameOfFault(fault),
      beganMs: performance.now(),
      liftedMs: 0,
      readyAfterMs: null,
    }
    injected.push(record)
    recorder.note({ what: 'fault', name: record.name })
    const hits = await hit(fault)
    record.liftedMs = performance.now()
    void Promise.all(hits.map(name => system.process(name).readyAfter(record.liftedMs))).then(moments => {
      record.readyAfterMs = Math.max(...moments) - record.liftedMs
    })
  }

  return {
    injected,
    inject(step) {
      const key = 'server' in step ? `${step.target} ${step.server}` : step.target
      const before = turns.get(key) ?? Promise.resolve()
      const work = run(step, before)
      turns.set(key, work)
      const tracked: Promise<void> = work.finally(() => running.delete(tracked))
      running.add(tracked)
    },
    async drain() {
      await Promise.all(running)
    },
    close: () => redis.disconnect(),
  }
}
