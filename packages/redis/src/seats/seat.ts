// What a seat is, for who asks for one and for the files that keep it.
import { createHash } from 'node:crypto'

export interface SeatRequest {
  /** what the places are of, such as a tracking ID */
  name: string
  /** how many places there are, over all pods */
  limit: number
  /** who asks, for `addressLimit` */
  address: string
  /** places for one address; absent: no such limit */
  addressLimit?: number
  /** the secret of a seat that the asker held before: it is taken over wherever it is */
  resume?: string | undefined
  /**
   * The seat is gone: at once nothing of it may be sent any more. `taken-over`: its holder came back on
   * another connection. `full`: there was no place for it after Redis lost its data.
   */
  onLost: (reason: LostReason) => void
}

export type LostReason = 'taken-over' | 'full'

export interface Seat {
  /** a secret for the holder alone: whoever knows it may take the seat over */
  readonly resume: string
  /** Gives the place back; in the background, and again later when Redis is away. */
  release(): void
}

export type SeatAnswer = { seat: Seat } | { refused: 'full' | 'address-full' | 'unavailable' }

/** A seat as Redis lists it: `<pod>.<address tag>.<secret>`. */
export const memberOf = (pod: string, addressTag: string, secret: string): string =>
  `${pod}.${addressTag}.${secret}`

export function partsOf(member: string): { pod: string; addressTag: string; secret: string } {
  const [pod, addressTag, secret] = member.split('.') as [string, string, string]
  return { pod, addressTag, secret }
}

/** An address as it may stand in Redis: enough to compare, too little to read. */
export const tagOf = (address: string): string =>
  createHash('sha256').update(address).digest('base64url').slice(0, 12)
