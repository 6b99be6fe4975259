// How far the database was written, kept outside of it: a database that was put back to an earlier state cannot know.
import { once } from 'node:events'
import { RedisUnavailableError } from './errors.js'
import { withDeadline } from './connection.js'
import type { RedisConnections } from './open-redis.js'

export interface HeadRecord {
  epochNumber: number
  epoch: string
  position: bigint
}

export interface HeadRecords {
  /**
   * Keeps a position; an earlier one than is kept changes nothing.
   * @param lineage names the database, through promotions and restores
   */
  write(lineage: string, record: HeadRecord): Promise<void>
  /** The record of the latest epoch; null when there is none. */
  read(lineage: string): Promise<HeadRecord | null>
}

const TIMEOUT_MS = 2_000

/**
 * Records in Redis: a sorted set for each database, one member an epoch, its position as the score.
 * All calls throw RedisUnavailableError while Redis is away.
 */
export function buildHeadRecords({
  commands,
  keys,
}: Pick<RedisConnections, 'commands' | 'keys'>): HeadRecords {
  const keyOf = (lineage: string) => keys.other('head', lineage)
  // A process that has just started asks before the connection is open.
  const connected = async () => {
    if (commands.status !== 'ready') await once(commands, 'ready')
  }
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(connected().then(work), TIMEOUT_MS, () => new Error('no answer in time'))
    } catch (error) {
      throw new RedisUnavailableError('Redis did not answer', { cause: error })
    }
  }
  return {
    write: (lineage, { epochNumber, epoch, position }) =>
      call(async () => {
        // GT: of several replicas the one that is ahead wins.
        await commands.zadd(keyOf(lineage), 'GT', Number(position), `${epochNumber}:${epoch}`)
      }),
    read: lineage =>
      call(async () => {
        // Members and scores: one flat list in RESP2, pairs in RESP3.
        const reply = (await commands.call('ZRANGE', keyOf(lineage), 0, -1, 'WITHSCORES')) as unknown[]
        const flat = reply.flat() as (string | number)[]
        let latest: HeadRecord | null = null
        for (let at = 0; at < flat.length; at += 2) {
          const [epochNumber = '', epoch = ''] = String(flat[at]).split(':')
          const record = { epochNumber: Number(epochNumber), epoch, position: BigInt(flat[at + 1]!) }
          if (latest === null || record.epochNumber > latest.epochNumber) latest = record
        }
        return latest
      }),
  }
}
