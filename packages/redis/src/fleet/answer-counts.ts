// How often endpoints answered and failed, counted over all processes: a hash for each endpoint, with two fields for each
// slice of time. It lives for the window, so endpoints that nobody calls cost nothing.
import { withDeadline } from '../connection.js'
import { RedisUnavailableError } from '../errors.js'
import type { RedisConnections } from '../open-redis.js'

export interface AnswerCounts {
  made: number
  failed: number
}

/** What one process counted since its last exchange. */
export interface AnswerDelta extends AnswerCounts {
  /** the endpoint answers again: what was counted before is over */
  isReset: boolean
}

const SLICES = 10
const ANSWER_WITHIN_MS = 1_000
/** Endpoints of one pipeline: a beat must not hold Redis up. */
const AT_ONCE = 500

const COUNT_SCRIPT = `
local key, made, failed, reset, sliceMs = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local time = redis.call('TIME')
local slice = math.floor((time[1] * 1000 + time[2] / 1000) / sliceMs)
if reset == '1' then redis.call('DEL', key) end
if made ~= '0' then
  redis.call('HINCRBY', key, slice .. ':made', made)
  redis.call('HINCRBY', key, slice .. ':failed', failed)
  redis.call('PEXPIRE', key, sliceMs * (${SLICES} + 1))
end
local sums = { made = 0, failed = 0 }
local fields = redis.call('HGETALL', key)
for at = 1, #fields, 2 do
  local when, what = string.match(fields[at], '^(%d+):(%a+)$')
  if tonumber(when) <= slice - ${SLICES} then redis.call('HDEL', key, fields[at])
  else sums[what] = sums[what] + tonumber(fields[at + 1]) end
end
return { sums.made, sums.failed }
`

interface WithCounts {
  paymentAnswers: (...args: (string | number)[]) => unknown
}

/**
 * Adds what this process counted, a pipeline for each 500 endpoints.
 * @returns the counts of all processes within the window, for each endpoint that was named
 * @throws RedisUnavailableError when Redis is away or late. The counts may have been added all the same.
 */
export async function exchangeAnswers(
  { commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>,
  windowMs: number,
  deltas: ReadonlyMap<string, AnswerDelta>,
): Promise<Map<string, AnswerCounts>> {
  if (!('paymentAnswers' in commands))
    commands.defineCommand('paymentAnswers', { numberOfKeys: 1, lua: COUNT_SCRIPT })
  const totals = new Map<string, AnswerCounts>()
  const entries = [...deltas]
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE)
    const pipeline = commands.pipeline()
    for (const [endpoint, { made, failed, isReset }] of some)
      (pipeline as unknown as WithCounts).paymentAnswers(
        keys.other('answers', endpoint),
        ...[made, failed, isReset ? 1 : 0, windowMs / SLICES],
      )
    const answers = await withDeadline(
      pipeline.exec(),
      ANSWER_WITHIN_MS,
      () => new RedisUnavailableError('Redis does not answer'),
    )
    for (const [at, [error, counts]] of (answers ?? []).entries()) {
      if (error) throw new RedisUnavailableError('the answers could not be counted', { cause: error })
      const [made, failed] = counts as [number, number]
      totals.set(some[at]![0], { made, failed })
    }
  }
  return totals
}
