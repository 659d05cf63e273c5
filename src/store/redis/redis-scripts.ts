/**
 * Scripts that Redis runs in one step. KEYS and ARGV are as `redis-adapter.ts` gives them; the fence comes last in both:
 * the key of the lease, the token that must stand under it, and how often Redis had been restarted or replaced when the
 * lease was claimed (empty: whatever). An empty key: no fence.
 */

/**
 * Where the leases keep which Redis it is. A replica that takes over has the token as well, but not the last second of
 * writes: a process that goes on writing there would mix its memory with a store that lacks what came before.
 */
const GENERATION_KEY = "marshal:generation";

const FENCE = `
local function holds()
  local key = KEYS[#KEYS]
  if key == '' then return true end
  if redis.call('GET', key) ~= ARGV[#ARGV - 1] then return false end
  if ARGV[#ARGV] == '' then return true end
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
  local known = redis.call('HMGET', '${GENERATION_KEY}', 'run', 'number')
  return known[1] == run and known[2] == ARGV[#ARGV]
end
if not holds() then return -1 end
`;

/** hash, lease; field, value, token, generation. */
export const SET_FENCED = `${FENCE}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1`;

/** hash, ranks, lease; field, token, generation. Answers how many were deleted. */
export const DELETE_FENCED = `${FENCE}
redis.call('HDEL', KEYS[2], ARGV[1])
return redis.call('HDEL', KEYS[1], ARGV[1])`;

/** A row of a list begins with its number. */
const NUMBER = `
local function number(row) return tonumber(string.match(row, '^%d+')) end
`;

/**
 * A hash or a list for each change, lease; for each change what to do ("set", "delete", "append", "drop"), a field or a
 * number, a value; token, generation.
 */
export const WRITE_FENCED = `${FENCE}${NUMBER}
for index = 1, #KEYS - 1 do
  local at = 3 * index - 2
  local what, key, given = ARGV[at], KEYS[index], ARGV[at + 1]
  if what == 'set' then redis.call('HSET', key, given, ARGV[at + 2])
  elseif what == 'delete' then redis.call('HDEL', key, given)
  elseif what == 'append' then
    local last = redis.call('LINDEX', key, -1)
    while last and number(last) >= tonumber(given) do
      redis.call('RPOP', key)
      last = redis.call('LINDEX', key, -1)
    end
    redis.call('RPUSH', key, ARGV[at + 2])
  else
    local first = redis.call('LINDEX', key, 0)
    while first and number(first) < tonumber(given) do
      redis.call('LPOP', key)
      first = redis.call('LINDEX', key, 0)
    end
  end
end
return #KEYS - 1`;

/** list; the first number, how many rows at most. Halves the list, because numbers may be missing in it. */
export const READ_ROWS = `${NUMBER}
local low, high = 0, redis.call('LLEN', KEYS[1])
while low < high do
  local middle = math.floor((low + high) / 2)
  if number(redis.call('LINDEX', KEYS[1], middle)) < tonumber(ARGV[1]) then low = middle + 1
  else high = middle end
end
return redis.call('LRANGE', KEYS[1], low, low + tonumber(ARGV[2]) - 1)`;

/**
 * hash, ranks; field, value. Keeps whichever ends later: a halt by what is left of it from now on Redis's own clock,
 * anything else by the time at which it was observed. Answers 0 where what was there stays.
 */
export const RAISE = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local given = cjson.decode(ARGV[2]).value
local rank = 0
if type(given) == 'table' then
  if type(given.leftMs) == 'number' then rank = nowMs + given.leftMs
  elseif type(given.atMs) == 'number' then rank = given.atMs end
end
local kept = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '-1')
if kept > rank and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], tostring(rank))
return 1`;
