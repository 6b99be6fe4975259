// Which processes share a cap, as one script: Redis runs it whole.
//
// What is in Redis:
//   run         the run id of the server that holds the other keys, and a generation. Each loss of the data, and each
//               change of the server, makes a new generation.
//   recovering  exists for one lease time after a new generation. Members keep their share meanwhile, and newcomers get none.
//   members     sorted set: member → when its lease ends (ms, Redis' clock)
//   acting      hash: member → the version by which it shares now
//   joined      hash: member → the version that its coming made
//   version     counts the changes of the set of members
//
//   beat   a member goes on, or comes → 'recovering', generation | 'member', generation, version, how many members, its
//          place among them, whether it may take its share, whether all share by this version
//   leave  a member ends → 'left'

export const FLEET_SCRIPT = `
local runKey, recoveringKey, membersKey, actingKey, joinedKey, versionKey = unpack(KEYS)
local op, run, leaseMs, member, generation, acting = unpack(ARGV)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ranOn, stored = string.match(redis.call('GET', runKey) or '', '^(.*):(.*)$')
if ranOn ~= run then
  stored = time[1] .. '.' .. time[2]
  redis.call('SET', runKey, run .. ':' .. stored)
  redis.call('DEL', membersKey, actingKey, joinedKey)
  redis.call('SET', recoveringKey, '1', 'PX', leaseMs)
end

local function remove(name)
  if redis.call('ZREM', membersKey, name) == 0 then return end
  redis.call('HDEL', actingKey, name)
  redis.call('HDEL', joinedKey, name)
  redis.call('INCR', versionKey)
end
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', membersKey, '-inf', now)) do remove(dead) end

if op == 'leave' then
  remove(member)
  return { 'left' }
end

if redis.call('ZADD', membersKey, now + leaseMs, member) == 1 then
  redis.call('HSET', joinedKey, member, redis.call('INCR', versionKey))
end
redis.call('HSET', actingKey, member, generation == stored and acting or 0)
if redis.call('EXISTS', recoveringKey) == 1 then return { 'recovering', stored } end

local names = redis.call('ZRANGE', membersKey, 0, -1)
table.sort(names)
local version = tonumber(redis.call('GET', versionKey))
local joined = tonumber(redis.call('HGET', joinedKey, member))
local place, mayShare, settled = 0, 1, 1
for at, name in ipairs(names) do
  local actsBy = tonumber(redis.call('HGET', actingKey, name))
  if name == member then place = at - 1
  elseif actsBy < joined then mayShare = 0 end
  if actsBy < version then settled = 0 end
end
return { 'member', stored, version, #names, place, mayShare, settled }
`
