// Sign-in nonces: made by one pod, spent by any, once.
//
// A gateway has at most NONCES_PER_GATEWAY live nonces. Strangers can ask for nonces too, so the places are shared among
// clients. When all places are taken, the client with the most nonces loses its oldest one, unless the asking client
// would then hold as many: that client is refused. So a stranger can neither overwrite an owner's nonce nor keep an
// owner from getting one.
import { RedisUnavailableError } from '../errors.js'
import { withDeadline } from '../connection.js'
import type { RedisConnections } from '../open-redis.js'

export const NONCES_PER_GATEWAY = 20

/**
 * KEYS[1] sorted set: nonce by expiry (ms); KEYS[2] hash: nonce → client.
 * ARGV: nonce, client, lifetime ms, most. Returns 1 when it was kept, 0 when the client has its share.
 */
const KEEP = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], old)
  redis.call('HDEL', KEYS[2], old)
end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
  local shares, top, most = {}, nil, 0
  local nonces = redis.call('ZRANGE', KEYS[1], 0, -1)
  for _, nonce in ipairs(nonces) do
    local client = redis.call('HGET', KEYS[2], nonce) or ''
    shares[client] = (shares[client] or 0) + 1
    if shares[client] > most then top, most = client, shares[client] end
  end
  if most <= (shares[ARGV[2]] or 0) + 1 then return 0 end
  for _, nonce in ipairs(nonces) do
    if (redis.call('HGET', KEYS[2], nonce) or '') == top then
      redis.call('ZREM', KEYS[1], nonce)
      redis.call('HDEL', KEYS[2], nonce)
      break
    end
  end
end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1`

export interface Nonces {
  /** @returns false when the client holds its share of the gateway's nonces already */
  keep(gateway: string, nonce: string, client: string, lifetimeMs: number): Promise<boolean>
  /** Live nonces of a gateway, newest first. */
  list(gateway: string): Promise<string[]>
  /** Spends a nonce. @returns true for exactly one of all callers, while it lives */
  spend(gateway: string, nonce: string): Promise<boolean>
}

const TIMEOUT_MS = 2_000

/** All calls throw RedisUnavailableError while Redis is away: without it nobody can sign in. */
export function buildNonces({ commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>): Nonces {
  // One hash tag for both keys: a script of a Redis Cluster may only touch one slot.
  const nonces = (gateway: string) => keys.other('nonces', `{${gateway}}`)
  const clients = (gateway: string) => keys.other('nonces', `{${gateway}}`, 'clients')
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(work(), TIMEOUT_MS, () => new Error('no answer in time'))
    } catch (error) {
      throw new RedisUnavailableError('Redis did not answer', { cause: error })
    }
  }
  return {
    keep: (gateway, nonce, client, lifetimeMs) =>
      call(async () => {
        const most = NONCES_PER_GATEWAY
        return (
          (await commands.eval(
            KEEP,
            2,
            nonces(gateway),
            clients(gateway),
            nonce,
            client,
            lifetimeMs,
            most,
          )) === 1
        )
      }),
    list: gateway => call(() => commands.zrevrangebyscore(nonces(gateway), '+inf', `(${Date.now()}`)),
    spend: (gateway, nonce) => call(async () => (await commands.zrem(nonces(gateway), nonce)) === 1),
  }
}
