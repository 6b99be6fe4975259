// What an answer promises by itself, and beside what was told before it was asked for. Pure: chaos.test.ts gives it wrong answers.
import type { SentSubscription } from './socket-client.js'

/** A position, and the database that it is of. */
export interface Place {
  position: number
  epoch: string
}

/** The highest `seq` that anybody was told, in each database of each tracking ID. */
export class ToldHeads {
  #heads: ReadonlyMap<string, number> = new Map()

  tell(epoch: string | undefined, trackingId: string, seq: number): void {
    const key = `${epoch} ${trackingId}`
    if (epoch !== undefined && seq > (this.#heads.get(key) ?? 0))
      this.#heads = new Map([...this.#heads, [key, seq]])
  }

  /** @returns what was told until now, also when more has been told since */
  now(): (epoch: string, trackingId: string) => number {
    const heads = this.#heads
    return (epoch, trackingId) => heads.get(`${epoch} ${trackingId}`) ?? 0
  }
}

/** @returns what is wrong with the answer to a subscription: every payment after `since` is in it, up to its head */
export function findReplyProblems(
  { since, epoch }: { since: number; epoch: string | undefined },
  { head, replay, recovered, more, next, epoch: answered }: SentSubscription,
): string[] {
  if ((epoch !== undefined && epoch !== answered) || since > head)
    return recovered || replay.length > 0 ? ['was answered from another database as if it were the same'] : []
  // A client without an epoch cannot prove that its `since` is a number of this database. It is told to begin again.
  if (!recovered)
    return epoch === undefined && since > 0 ? [] : [`was told to begin again, though the head is ${head}`]
  const hole = replay.findIndex(({ seq }, index) => seq !== since + 1 + index)
  if (hole >= 0) return [`got seq ${replay[hole]!.seq} where ${since + 1 + hole} belongs`]
  const last = Math.min(next, since + replay.length)
  return last < head && (!more || replay.length === 0) ? [`got nothing behind ${last} of ${head}`] : []
}

/**
 * A read may name a position. A database that is behind the position must not answer.
 * @param asked the position that the read named
 * @param answered the position of the database that answered
 * @returns what is wrong with the answer
 */
export const findReadProblems = (asked: Place | undefined, answered: Place | undefined): string[] =>
  asked && asked.epoch === answered?.epoch && answered.position < asked.position
    ? [`asked from position ${asked.position} and was answered from ${answered.position}`]
    : []
