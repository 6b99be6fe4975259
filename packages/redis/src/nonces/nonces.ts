// What Redis remembers of sign-in: the nonces that were used, and which nonces a client was given.
//
// A nonce proves by itself that a pod of this deployment made it (services/api, sign-in-nonce.ts), so nothing is kept of
// nonces that nobody used: no number of strangers who ask for nonces can take an owner's place. A used nonce is kept
// until it has expired, so that it works once, on any pod.
//
// The lists are a convenience for clients that do not send the nonce back. Each belongs to one gateway and one client
// address: strangers fill their own.
import { createHash } from 'node:crypto'
import { RedisUnavailableError } from '../errors.js'
import { withDeadline } from '../connection.js'
import type { RedisConnections } from '../open-redis.js'

/** The newest so many nonces of a client are tried when it does not say which one it signed. */
export const NONCES_PER_CLIENT = 20

export interface Nonces {
  /** Remembers that a client was given a nonce, for `lifetimeMs`. */
  note(gateway: string, client: string, nonce: string, lifetimeMs: number): Promise<void>
  /** The nonces that a client was given lately for a gateway, newest first; expired and used ones too. */
  list(gateway: string, client: string): Promise<string[]>
  /**
   * Uses a nonce up.
   * @param keepMs how long it must be remembered: longer than any pod could still take it
   * @returns true for exactly one of all callers
   */
  use(nonce: string, keepMs: number): Promise<boolean>
}

const TIMEOUT_MS = 2_000
/** Addresses are strangers' text, and nonces are long: keys hold a digest of either. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** All calls throw RedisUnavailableError while Redis is away: without it nobody can sign in. */
export function buildNonces({ commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>): Nonces {
  const listOf = (gateway: string, client: string) => keys.other('nonces', gateway, digest(client))
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(work(), TIMEOUT_MS, () => new Error('no answer in time'))
    } catch (error) {
      throw new RedisUnavailableError('Redis did not answer', { cause: error })
    }
  }
  return {
    note: (gateway, client, nonce, lifetimeMs) =>
      call(async () => {
        const list = listOf(gateway, client)
        // One transaction, and one key: a list without an expiry would stay for ever.
        const answers = await commands
          .multi()
          .lpush(list, nonce)
          .ltrim(list, 0, NONCES_PER_CLIENT - 1)
          .pexpire(list, lifetimeMs)
          .exec()
        const failed = answers?.find(([error]) => error !== null)
        if (!answers || failed) throw failed?.[0] ?? new Error('the transaction was discarded')
      }),
    list: (gateway, client) => call(() => commands.lrange(listOf(gateway, client), 0, -1)),
    use: (nonce, keepMs) =>
      call(
        async () =>
          (await commands.set(keys.other('used-nonces', digest(nonce)), '1', 'PX', keepMs, 'NX')) === 'OK',
      ),
  }
}
