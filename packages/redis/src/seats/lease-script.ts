// The leases, as one script: Redis runs it whole, so no two pods can be granted the same seat.
//
// What is in Redis:
//   run          the run id of the Redis that the rest was written on, and its generation: a new one each time
//                the data was lost or the server restarted
//   recovering   exists for one and a half lease times after the data was lost or the server restarted: for one lease
//                time only seats of pods that may send are written, then pods that could not send take theirs back
//   idle         exists when the last pod ended orderly: nobody holds anything
//   pods         sorted set: pod → when its lease ends (ms, Redis' clock)
//   seats:<name> set: one member a seat, `<pod>.<address tag>.<secret>`
//   evict:<pod>  set: seats that another pod took over and that this pod must give up
//
// A seat lives as long as its pod's lease. Only pods renew, so that ten thousand subscribers cost one renewal.
// If all seats of a tracking ID are taken, `acquire` removes the seats of pods whose lease has ended.
//
//   init      leases are used for the first time: an empty Redis has lost nothing
//   join      a pod without seats begins → 'joined', generation
//   renew     it goes on → 'renewed', seats to give up… | 'restore' (write your seats again), generation |
//             'expired'
//   restore   a pod writes its seats again → the seats that the pod lost to other clients
//   acquire   → 'granted', ms to wait, pod to ask | 'full' | 'address-full' | 'recovering' | 'expired'
//   release   → 1 | 0
//   holds     whether Redis has the seat → 1 | 0
//   leave     a pod ends, with all its seats
//
// A call names the run id of the server it speaks to. Another one in `run`, or none, means that acknowledged
// writes may be gone. So for one lease time only pods that may send write their seats. Every other pod has fenced itself by
// then. For half a lease time more, fenced pods take back the seats that are free. Newcomers are admitted after that: a failover
// must not give a client's seat to somebody else.

import { TAG_LENGTH } from './seat.js'

export const LEASE_SCRIPT = `
local runKey, recoveringKey, podsKey, idleKey, seatsKey, evictKey = unpack(KEYS)
local op, run, leaseMs, pod = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local ranOn, generation = string.match(redis.call('GET', runKey) or '', '^(.*):(.*)$')
if ranOn ~= run then
  generation = time[1] .. '.' .. time[2]
  redis.call('SET', runKey, run .. ':' .. generation)
  local nobodyHolds = op == 'init' or (ranOn and redis.call('EXISTS', idleKey) == 1)
  if not nobodyHolds then redis.call('SET', recoveringKey, '1', 'PX', leaseMs + math.floor(leaseMs / 2)) end
end
if op == 'init' then return { 'initialised' } end
-- -2 where the key does not exist.
local recoveryLeft = redis.call('PTTL', recoveringKey)
local recovering = recoveryLeft > leaseMs / 2
local takingBack = recoveryLeft > 0

local ends = {}
local function endOf(name)
  if ends[name] == nil then ends[name] = tonumber(redis.call('ZSCORE', podsKey, name) or 0) end
  return ends[name]
end
local function podOf(member) return string.match(member, '^[^.]+') end
local function purge(members)
  local living = {}
  for _, member in ipairs(members) do
    if endOf(podOf(member)) > now then living[#living + 1] = member
    else redis.call('SREM', seatsKey, member) end
  end
  return living
end
local function add(member)
  redis.call('SADD', seatsKey, member)
  redis.call('PEXPIRE', seatsKey, 86400000)
end

if op == 'join' then
  redis.call('ZADD', podsKey, now + leaseMs, pod)
  redis.call('ZREMRANGEBYSCORE', podsKey, '-inf', now - leaseMs)
  redis.call('DEL', idleKey)
  return { 'joined', generation }
end

if op == 'leave' then
  redis.call('ZREM', podsKey, pod)
  redis.call('DEL', evictKey)
  redis.call('ZREMRANGEBYSCORE', podsKey, '-inf', now - leaseMs)
  if not takingBack and redis.call('EXISTS', podsKey) == 0 then redis.call('SET', idleKey, '1') end
  return { 'left' }
end

if op == 'renew' then
  local restored, unfenced = ARGV[5], ARGV[6] == '1'
  local living = endOf(pod) > now
  if not living and not (recovering and unfenced) then return { 'expired' } end
  redis.call('ZADD', podsKey, now + leaseMs, pod)
  redis.call('DEL', idleKey)
  -- Not "it is new here": the answer to the call that made it known may have been lost.
  if restored ~= generation then return { 'restore', generation } end
  -- What the pod has heard of goes only now, for the same reason.
  for i = 7, #ARGV do redis.call('SREM', evictKey, ARGV[i]) end
  local answer = redis.call('SMEMBERS', evictKey)
  table.insert(answer, 1, 'renewed')
  return answer
end

if op == 'restore' then
  local limit = tonumber(ARGV[5])
  local refused = {}
  for i = 6, #ARGV do
    if redis.call('SISMEMBER', seatsKey, ARGV[i]) == 0 then
      local size = redis.call('SCARD', seatsKey)
      if size >= limit then size = #purge(redis.call('SMEMBERS', seatsKey)) end
      if size >= limit then refused[#refused + 1] = ARGV[i] else add(ARGV[i]) end
    end
  end
  redis.call('PEXPIRE', seatsKey, 86400000)
  return refused
end

if op == 'release' then return redis.call('SREM', seatsKey, ARGV[5]) end

if op == 'holds' then return redis.call('SISMEMBER', seatsKey, ARGV[5]) end

if op == 'acquire' then
  local member, limit, addressLimit, resume = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8]
  local isHeld = ARGV[9] == '1'
  if endOf(pod) <= now then return { 'expired' } end
  if recovering or (takingBack and not isHeld) then return { 'recovering' } end
  local members = redis.call('SMEMBERS', seatsKey)
  if resume ~= '' then
    for _, old in ipairs(members) do
      if string.sub(old, -#resume - 1) == '.' .. resume then
        redis.call('SREM', seatsKey, old)
        add(member)
        local oldPod = podOf(old)
        local left = endOf(oldPod) - now
        if oldPod == pod or left <= 0 then return { 'granted', 0, '', old } end
        local evicted = string.gsub(evictKey, '[^:]+$', '') .. oldPod
        redis.call('SADD', evicted, old)
        redis.call('PEXPIRE', evicted, 2 * leaseMs)
        return { 'granted', left, oldPod, old }
      end
    end
  end
  -- Whether one of the asker's networks has all seats that it may have: each wider one has twice as many.
  local function isAddressFull()
    if addressLimit == 0 then return false end
    local tag = string.match(member, '^[^.]+(%.[^.]+)%.')
    local most = addressLimit
    for length = #tag, ${TAG_LENGTH} + 1, -${TAG_LENGTH} do
      local network = string.sub(tag, 1, length)
      local count = 0
      for _, other in ipairs(members) do
        if string.find(other, network, 1, true) then count = count + 1 end
      end
      if count >= most then return true end
      most = most * 2
    end
    return false
  end
  if #members >= limit or isAddressFull() then
    members = purge(members)
    if #members >= limit then return { 'full' } end
    if isAddressFull() then return { 'address-full' } end
  end
  add(member)
  return { 'granted', 0, '', '' }
end

return redis.error_reply('unknown operation ' .. op)
`
