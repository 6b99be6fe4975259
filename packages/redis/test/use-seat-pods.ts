import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import { openRedis, Seats, type Seat, type SeatRequest } from '../src/index.js'

export const LEASE_MS = 1_200

interface WithLease {
  paymentLease: (...args: unknown[]) => Promise<unknown[]>
}

let environments = 0

/**
 * Pods of one deployment in one process.
 * @param redis its URL, or the settings of a cluster
 */
export function useSeatPods(
  t: TestContext,
  redis: string | { REDIS_URL: string; REDIS_CLUSTER: boolean },
  environment = `seats${++environments}`,
) {
  let first = true
  const settings = typeof redis === 'string' ? { REDIS_URL: redis } : redis
  return async (options: { leaseMs?: number; timeoutMs?: number } = {}) => {
    const connections = openRedis({ ...settings, ENVIRONMENT: environment })
    const subscriber = connections.connect('subscriber', { enableOfflineQueue: true })
    const lost: string[] = []
    const seats = new Seats({
      redis: connections.commands,
      subscriber,
      keys: connections.keys,
      leaseMs: options.leaseMs ?? LEASE_MS,
      timeoutMs: options.timeoutMs ?? 1_000,
      firstUse: async initialise => {
        if (first) await initialise()
        first = false
      },
      onFenced: () => lost.push('fenced'),
      onLifted: () => lost.push('lifted'),
      onError: () => {},
    })
    t.teardown(async () => {
      await seats.close()
      await connections.close()
    })
    seats.start()
    await waitFor(() => seats.mayDeliver(), { what: 'a lease' })
    lost.length = 0
    /** Does something with the next answer of this kind before the pod has it. */
    const onAnswer = (result: string, act: () => Promise<void>) =>
      new Promise<void>(resolve => {
        const redis = connections.commands as unknown as WithLease
        const call = redis.paymentLease.bind(redis)
        redis.paymentLease = async (...args) => {
          const answer = await call(...args)
          if (answer[0] !== result) return answer
          redis.paymentLease = call
          await act().finally(resolve)
          return answer
        }
      })
    return {
      seats,
      lost,
      /** The process is gone: nothing is renewed, nothing said. */
      crash() {
        connections.commands.disconnect()
        subscriber.disconnect()
      },
      /** Messages of other pods do not arrive any more. */
      deafen: () => subscriber.disconnect(),
      /** The next answer of Redis of this kind never arrives; what it answers has happened. */
      loseAnswer: (result: string) =>
        onAnswer(result, () => Promise.reject(new Error('the connection broke'))),
      /** The next answer of Redis of this kind arrives so much later. */
      delayAnswer: (result: string, byMs: number) => onAnswer(result, () => sleep(byMs)),
      ask: (more?: Partial<SeatRequest>) =>
        seats.acquire({
          name: 'order',
          limit: 5,
          networks: ['somebody'],
          onLost: why => lost.push(why),
          ...more,
        }),
    }
  }
}

export const seatOf = (answer: Awaited<ReturnType<Seats['acquire']>>): Seat => {
  if ('refused' in answer) throw new Error(`refused: ${answer.refused}`)
  return answer.seat
}

export type SeatPod = Awaited<ReturnType<ReturnType<typeof useSeatPods>>>
