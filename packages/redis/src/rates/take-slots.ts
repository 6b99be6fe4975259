// How often something may happen, counted over all processes: the generic cell rate algorithm, as one script for each
// thing that has a rate. A slot is a moment at which it may happen once. What finds no slot soon is told when to ask
// again, one after another, so that a long queue does not ask all at once.
//
// A process that dies takes at most the slots of the next AHEAD_MS with it. When Redis loses the key, the rate begins anew.
import { withDeadline } from '../connection.js'
import { RedisUnavailableError } from '../errors.js'
import type { RedisConnections } from '../open-redis.js'

export interface SlotRequest {
  /** what has the rate, such as the id of a webhook */
  id: string
  perSecond: number
}

/** `free`: the slot in so many ms is the caller's. Else nothing was taken: ask again after that time. */
export interface Slot {
  free: boolean
  inMs: number
}

/** Slots are given out for this time ahead, and for two at least: callers wait for them in memory, for 2 s at most. */
const AHEAD_MS = 50
/** After a pause, slots are given out when they are there for so long: a new pause reaches whoever would wait in memory. */
const WARY_MS = 10_000
/** A pause that is further ahead is of a clock that went back. */
const LONGEST_PAUSE_MS = 3_600_000
/** Slots that nobody took in this time are caught up. */
const IDLE_MS = 100
/**
 * Callers are told to come back at the rate for so long ahead, and beyond that STEP_MS apart: a higher rate reaches all soon,
 * and a million of them ask seldom.
 */
const QUEUE_MS = 300_000
const STEP_MS = 10
const ANSWER_WITHIN_MS = 1_000

// Times are of Redis' clock. `next`: the next free slot. `back`: when the last caller without a slot comes back. Both begin
// anew when `next` is further ahead than this rate can make it: the rate was lower, or the clock went back. `paused`: when the last
// pause ends.
const TAKE_SCRIPT = `
local key, interval, count = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local stored = redis.call('HMGET', key, 'next', 'back', 'paused')
local paused = tonumber(stored[3] or 0)
if paused > now + ${LONGEST_PAUSE_MS} or paused < now - ${WARY_MS} then paused = 0 end
local ahead = paused > 0 and 0 or math.max(${AHEAD_MS}, 2 * interval)
local next = math.max(tonumber(stored[1] or 0), now - ${IDLE_MS})
local back = tonumber(stored[2] or 0)
if next > now + ahead + interval + 1 then next, back = now + ahead, 0 end
next = math.max(next, paused)
local answers = {}
for at = 1, count do
  if next <= now + ahead then
    answers[at] = math.max(0, math.ceil(next - now))
    next = next + interval
  else
    back = math.max(back, next)
    answers[at] = -math.ceil(back - now - ahead / 2)
    back = back + (back - now < ${QUEUE_MS} and interval or ${STEP_MS})
  end
end
redis.call('HSET', key, 'next', string.format('%.3f', next), 'back', string.format('%.3f', back))
redis.call('PEXPIRE', key, math.ceil(math.max(next, back, paused > 0 and paused + ${WARY_MS} or 0) - now) + ${IDLE_MS})
return answers
`

const PAUSE_SCRIPT = `
local key, forMs = KEYS[1], math.min(tonumber(ARGV[1]), ${LONGEST_PAUSE_MS})
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local stored = tonumber(redis.call('HGET', key, 'paused') or 0)
if stored > now + ${LONGEST_PAUSE_MS} then stored = 0 end
redis.call('HSET', key, 'paused', string.format('%.3f', math.max(stored, now + forMs)))
redis.call('PEXPIRE', key, math.ceil(math.max(redis.call('PTTL', key), forMs + ${WARY_MS} + ${IDLE_MS})))
`

interface WithSlots {
  paymentSlots: (key: string, intervalMs: number, count: number) => unknown
}

/**
 * Gives out no slot of a rate for so long, an hour at most. Afterwards they are as far apart as the rate says, and none is given out ahead.
 * @throws RedisUnavailableError
 */
export async function pauseRate(
  { commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>,
  id: string,
  forMs: number,
): Promise<void> {
  await withDeadline(
    commands.eval(PAUSE_SCRIPT, 1, keys.other('rate', id), forMs),
    ANSWER_WITHIN_MS,
    () => new RedisUnavailableError('Redis does not answer'),
  ).catch((cause: unknown) => {
    throw new RedisUnavailableError('no rate could be paused', { cause })
  })
}

/**
 * Takes a slot for each request, with one call of the script for each id.
 * @throws RedisUnavailableError when Redis is away or late. Slots may have been taken all the same.
 */
export async function takeSlots(
  { commands, keys }: Pick<RedisConnections, 'commands' | 'keys'>,
  requests: readonly SlotRequest[],
): Promise<Slot[]> {
  if (!('paymentSlots' in commands))
    commands.defineCommand('paymentSlots', { numberOfKeys: 1, lua: TAKE_SCRIPT })
  const groups = new Map<string, SlotRequest & { indexes: number[] }>()
  for (const [index, request] of requests.entries()) {
    const name = `${request.id} ${request.perSecond}`
    const group = groups.get(name) ?? { ...request, indexes: [] }
    group.indexes.push(index)
    groups.set(name, group)
  }
  const pipeline = commands.pipeline()
  for (const { id, perSecond, indexes } of groups.values())
    (pipeline as unknown as WithSlots).paymentSlots(keys.other('rate', id), 1_000 / perSecond, indexes.length)
  const results = await withDeadline(
    pipeline.exec(),
    ANSWER_WITHIN_MS,
    () => new RedisUnavailableError('Redis does not answer'),
  )
  const slots: Slot[] = []
  for (const [at, { indexes }] of [...groups.values()].entries()) {
    const [error, answers] = results![at]!
    if (error) throw new RedisUnavailableError('no slot could be taken', { cause: error })
    for (const [nth, index] of indexes.entries()) {
      const ms = (answers as number[])[nth]!
      slots[index] = { free: ms >= 0, inMs: Math.abs(ms) }
    }
  }
  return slots
}
