/** What Redis runs in one step; keys and arguments are as `redis-leases.ts` gives them. */

/**
 * The generation of what Redis keeps: a new one whenever its run id is another than before, after a restart or when a
 * replica took its place. The last second of writes may then be gone. A replica that was not promoted refuses the first
 * write of a script, so its role needs no check of its own. Whoever puts back an older copy marks it "copied"
 * (`open-redis.ts`, `cluster-backup.sh`): then it is known of that generation that more may be gone.
 */
const GENERATION = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local role = string.match(redis.call('INFO', 'replication'), 'role:(%w+)')
if role ~= 'master' then return redis.error_reply('READONLY this Redis is a replica') end
if redis.call('HGET', KEYS[1], 'run') ~= run then
  local number = redis.call('HINCRBY', KEYS[1], 'number', 1)
  if redis.call('HDEL', KEYS[1], 'copied') == 1 then redis.call('HSET', KEYS[1], 'copiedNumber', number) end
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
local olderCopy = 0
if settled < tonumber(redis.call('HGET', KEYS[1], 'copiedNumber') or '0') then olderCopy = 1 end
return {'claimed', generation, inDoubt, olderCopy}`;

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

/**
 * count, leases of all shards; token, count. The count ends with its last lease. A lease that was over long ago may be given
 * up late, when processes of another count work: theirs stays, or both counts would be served at once.
 */
export const RELEASE = `
local others = 0
for index = 2, #KEYS do
  local holder = redis.call('GET', KEYS[index])
  if holder == ARGV[1] then redis.call('DEL', KEYS[index])
  elseif holder then others = others + 1 end
end
if others == 0 and redis.call('GET', KEYS[1]) == ARGV[2] then redis.call('DEL', KEYS[1]) end
return others`;

/** settled, lease; token, block, generation. */
export const SETTLE = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1`;

/**
 * state, halts, their ends, refused keys; expected state, expected end of the halt, new state, halt, source, how long a
 * state that nobody changes is kept. Without an expected state (a dash) it only reads. Answers whether it wrote, Redis's
 * time, and what stands there now.
 */
export const EXCHANGE = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local state = redis.call('GET', KEYS[1]) or ''
local halt = redis.call('HGET', KEYS[2], ARGV[4]) or ''
local ends = ''
if halt ~= '' then ends = redis.call('HGET', KEYS[3], ARGV[4]) or '0' end
local written = 0
if ARGV[1] == '+' .. state and ARGV[2] == ends then
  redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[6])
  state = ARGV[3]
  written = 1
end
local refused = ''
if ARGV[5] ~= '' then refused = redis.call('HGET', KEYS[4], ARGV[5]) or '' end
return {written, string.format('%d', nowMs), state, halt, ends, refused}`;

/** ends of halts, halts; halt, its end. Removes a halt that was not made longer in between. */
export const CLEAR_HALT = `
if (redis.call('HGET', KEYS[1], ARGV[1]) or '0') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('HDEL', KEYS[2], ARGV[1])`;

/** The slot of an identify; how long it is taken. Answers for how long it is another's. */
export const IDENTIFY = `
if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then return 0 end
return redis.call('PTTL', KEYS[1])`;

/** The slot of an identify that the caller has taken; how long it is taken from now. */
export const EXTEND_IDENTIFY = `
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 0`;
