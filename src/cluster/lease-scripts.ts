/** What Redis runs in one step; keys and arguments are as `redis-leases.ts` gives them. */

/**
 * The generation of what Redis keeps: a new one whenever its run id is another than before, after a restart or when a
 * replica took its place. The last second of writes may then be gone. A replica that was not promoted refuses the first
 * write of a script, so its role needs no check of its own.
 */
const GENERATION = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local role = string.match(redis.call('INFO', 'replication'), 'role:(%w+)')
if role ~= 'master' then return redis.error_reply('READONLY this Redis is a replica') end
if redis.call('HGET', KEYS[1], 'run') ~= run then
  redis.call('HINCRBY', KEYS[1], 'number', 1)
  redis.call('HSET', KEYS[1], 'run', run, 'sinceMs', string.format('%d', nowMs))
end
local generation = tonumber(redis.call('HGET', KEYS[1], 'number'))
local sinceMs = tonumber(redis.call('HGET', KEYS[1], 'sinceMs'))
`;

/**
 * generation, count, settled, leases; token, lease ms, count, block. All leases or none, and none while a lease of
 * another count lives: which shard hears of a guild depends on the count. After a change of generation nobody claims
 * for the length of a lease, because a lease that was granted before may have been forgotten.
 */
export const CLAIM = `${GENERATION}
local waitMs = sinceMs + tonumber(ARGV[2]) - nowMs
if waitMs > 0 then return {'wait', waitMs} end
local count = redis.call('GET', KEYS[2])
if count and count ~= ARGV[3] then return {'other-count', count} end
for index = 4, #KEYS do
  if redis.call('EXISTS', KEYS[index]) == 1 then return {'taken'} end
end
for index = 4, #KEYS do redis.call('SET', KEYS[index], ARGV[1], 'PX', ARGV[2]) end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[2])
local settled = tonumber(redis.call('HGET', KEYS[3], ARGV[4]) or '1')
local inDoubt = 0
if settled ~= generation then inDoubt = 1 end
return {'claimed', generation, inDoubt}`;

/** generation, count, leases; token, lease ms, count, generation. */
export const RENEW = `${GENERATION}
local gone = false
for index = 3, #KEYS do
  local holder = redis.call('GET', KEYS[index])
  if holder and holder ~= ARGV[1] then return 'taken' end
  if not holder then gone = true end
end
if gone then return 'gone' end
if generation ~= tonumber(ARGV[4]) then return 'changed' end
for index = 3, #KEYS do redis.call('PEXPIRE', KEYS[index], ARGV[2]) end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[2])
return 'renewed'`;

/** count, leases of all shards; token. The count ends with the last lease. */
export const RELEASE = `
local others = 0
for index = 2, #KEYS do
  local holder = redis.call('GET', KEYS[index])
  if holder == ARGV[1] then redis.call('DEL', KEYS[index])
  elseif holder then others = others + 1 end
end
if others == 0 then redis.call('DEL', KEYS[1]) end
return others`;

/** settled, lease; token, block, generation. */
export const SETTLE = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1`;
