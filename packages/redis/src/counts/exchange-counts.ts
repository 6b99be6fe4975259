import { RedisUnavailableError } from '../errors.js'
import { withDeadline } from '../connection.js'
import type { RedisConnections } from '../open-redis.js'

/** The requests that one process counted since its last exchange, by client. */
export type CountDeltas = ReadonlyMap<string, number>

export interface CountWindow {
  /** names the window, the same on every process: its number since the epoch */
  number: number
  lengthMs: number
}

const ANSWER_WITHIN_MS = 1_000

/**
 * Adds the counts of this process to the shared counts, in one round trip.
 * @returns the sum over all processes for each client that was named
 * @throws RedisUnavailableError when Redis is away or late. The counts may have been added all the same.
 */
export async function exchangeCounts(
  { commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>,
  window: CountWindow,
  deltas: CountDeltas,
): Promise<Map<string, number>> {
  const clients = [...deltas.keys()]
  const pipeline = commands.pipeline()
  for (const client of clients) {
    const key = keys.other('rate', String(window.number), client)
    pipeline.incrby(key, deltas.get(client)!)
    // Longer than the window: clocks of processes differ a little.
    pipeline.pexpire(key, 2 * window.lengthMs)
  }
  const answers = await withDeadline(
    pipeline.exec(),
    ANSWER_WITHIN_MS,
    () => new RedisUnavailableError('Redis does not answer'),
  ).catch((error: unknown) => {
    throw new RedisUnavailableError('the counts could not be exchanged', { cause: error })
  })
  const totals = new Map<string, number>()
  clients.forEach((client, at) => {
    const [error, total] = answers?.[2 * at] ?? []
    if (error) throw new RedisUnavailableError('the counts could not be exchanged', { cause: error })
    totals.set(client, Number(total))
  })
  return totals
}
