// The shapes of a seat: the request for one, and its name in Redis.
import { createHash } from 'node:crypto'

export interface SeatRequest {
  /** what the seats are of, such as a tracking ID */
  name: string
  /** how many seats there are, over all pods */
  limit: number
  /** who asks, for `addressLimit`: an address or the networks around it, the narrowest first */
  networks: readonly string[]
  /** seats for the narrowest network, and twice as many for each wider one; absent: no such limit */
  addressLimit?: number
  /** the secret of a seat that the client held before: the request takes that seat over, on whichever pod it is */
  resume?: string | undefined
  /**
   * The seat is lost: from now on nothing may be sent to its connection. `taken-over`: the client came back on another
   * connection. `full`: the seat was not free any more after Redis lost its data.
   */
  onLost: (reason: LostReason) => void
}

export type LostReason = 'taken-over' | 'full'

export interface Seat {
  /** a secret for the client: with it the client can take the seat over */
  readonly resume: string
  /** Gives the seat back in the background, and tries again later while Redis is away. */
  release(): void
}

export type SeatAnswer = { seat: Seat } | { refused: 'full' | 'address-full' | 'unavailable' }

/** Characters of an address tag for each network. */
export const TAG_LENGTH = 12

/** A seat as Redis lists it: `<pod>.<address tag>.<secret>`. */
export const memberOf = (pod: string, addressTag: string, secret: string): string =>
  `${pod}.${addressTag}.${secret}`

export function partsOf(member: string): { pod: string; addressTag: string; secret: string } {
  const [pod, addressTag, secret] = member.split('.') as [string, string, string]
  return { pod, addressTag, secret }
}

/**
 * A truncated hash of each network, the widest first: what is in one network begins alike, and no address can be
 * recovered.
 */
export const tagOf = (networks: readonly string[]): string =>
  networks
    .map(network => createHash('sha256').update(network).digest('base64url').slice(0, TAG_LENGTH))
    .reverse()
    .join('')
