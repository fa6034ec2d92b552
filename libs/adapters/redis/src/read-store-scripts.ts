import { createHash } from 'node:crypto';
import type { Script } from './redis-connection.js';

export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/*
 * Keys of one shard all begin with `<prefix>:{rm<shard>}:` and so lie together:
 *   r:<collection>:<scope>:<key> hash: r revision, d document, i index values, m index members; a tombstone has r alone
 *   a:<collection>:<scope> sorted set of the keys of all rows x:<collection>:<scope>:<index> sorted set of an index's
 *   members n:<collection>:<scope> set of the index names in use t:<collection>:<scope> sorted set of the keys of
 *   tombstones, by when they end s:<collection> set of scopes c:<projection> checkpoint
 */
const rowsScript = `
local TOMBSTONE_MS = 86400000
local PORTION = 1000
local scopes = {}
local named = {}
-- Entries that all rows of the script add to a sorted set: it gets them at the script's end, by one command.
local added = {}
local function add(set, entry)
  local entries = added[set] or {}
  added[set] = entries
  entries[entry] = true
end
local function remove(set, entry)
  if added[set] then added[set][entry] = nil end
  redis.call('ZREM', set, entry)
end
local function addAll()
  for set, entries in pairs(added) do
    local scored = {}
    for entry in pairs(entries) do
      scored[#scored + 1] = 0
      scored[#scored + 1] = entry
    end
    for first = 1, #scored, 2 * PORTION do
      redis.call('ZADD', set, unpack(scored, first, math.min(first + 2 * PORTION - 1, #scored)))
    end
  end
end
local function nowMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
-- Takes entries of an index as they are stored, gives them as the sorted set of each index has them.
local function entriesOf(members, key)
  local entries = {}
  for _, member in ipairs(members and cjson.decode(members) or {}) do
    local own = entries[member[1]] or {}
    own[member[2] .. '\\0' .. key] = true
    entries[member[1]] = own
  end
  return entries
end
local function without(entries, others)
  local rest = {}
  for entry in pairs(entries or {}) do
    if not (others and others[entry]) then rest[#rest + 1] = entry end
  end
  return rest
end
-- Only what differs: most updates of a row change one of its indexes, or none.
local function reindex(base, place, key, before, after)
  local had, has = entriesOf(before, key), entriesOf(after, key)
  for name, entries in pairs(had) do
    for _, entry in ipairs(without(entries, has[name])) do remove(base .. 'x:' .. place .. ':' .. name, entry) end
  end
  local names = {}
  local known = named[base .. place] or {}
  named[base .. place] = known
  for name, entries in pairs(has) do
    if not had[name] and not known[name] then
      names[#names + 1] = name
      known[name] = true
    end
    for _, entry in ipairs(without(entries, had[name])) do add(base .. 'x:' .. place .. ':' .. name, entry) end
  end
  for first = 1, #names, PORTION do
    redis.call('SADD', base .. 'n:' .. place, unpack(names, first, math.min(first + PORTION - 1, #names)))
  end
end
local function bury(base, place, row, key, revision)
  local now = nowMs()
  redis.call('DEL', row)
  redis.call('HSET', row, 'r', revision)
  redis.call('PEXPIRE', row, TOMBSTONE_MS)
  remove(base .. 'a:' .. place, key)
  redis.call('ZREMRANGEBYSCORE', base .. 't:' .. place, '-inf', now)
  redis.call('ZADD', base .. 't:' .. place, now + TOMBSTONE_MS, key)
end
local function write(base, collection, scope, key, revision, doc, index, members)
  local place = collection .. ':' .. scope
  local row = base .. 'r:' .. place .. ':' .. key
  local old = redis.call('HMGET', row, 'r', 'm')
  if old[1] and tonumber(old[1]) >= tonumber(revision) then return end
  if not old[1] and not scopes[base .. place] then
    redis.call('SADD', base .. 's:' .. collection, scope)
    scopes[base .. place] = true
  end
  if doc == '' then
    reindex(base, place, key, old[2], nil)
    return bury(base, place, row, key, revision)
  end
  redis.call('HSET', row, 'r', revision, 'd', doc, 'i', index, 'm', members)
  if old[2] == members then return end
  if not old[2] then
    if old[1] then
      redis.call('PERSIST', row)
      redis.call('ZREM', base .. 't:' .. place, key)
    end
    add(base .. 'a:' .. place, key)
  end
  reindex(base, place, key, old[2], members)
end
local function writeAll(first)
  for i = first, #ARGV, 8 do
    local base = KEYS[tonumber(ARGV[i])]
    write(base, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6], ARGV[i + 7])
  end
  addAll()
end
`;

/** KEYS: bases. ARGV: rows of eight, each beginning with the number of its base among the keys. */
export const putScript = script(`${rowsScript}
writeAll(1)
return 1`);

const placesScript = `
local function less(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local function place(text) return string.sub(text, 1, 1) == '+' and string.sub(text, 2) or false end
local function hasLost(now, seen) return seen and (not now or less(now, seen)) end
local function raise(key, now, to)
  if now and not less(now, to) then return now end
  redis.call('SET', key, to)
  return to
end
`;

/**
 * KEYS: checkpoint, base. ARGV: the checkpoint that was seen (`-` none, `+<position>`), the new one, 1 when it must
 * still be exactly that, what it may be besides (written like the first), rows.
 * Gives the checkpoint as it is then; nothing is written, and none given, when it is not as it must be, or lower than
 * what was seen. A checkpoint further on is kept: the batch holds everything of this shard up to the new one all the
 * same.
 */
export const commitScript = script(`${rowsScript}${placesScript}
local now = redis.call('GET', KEYS[1])
local seen = place(ARGV[1])
if ARGV[3] == '1' and now ~= seen and (not now or now ~= place(ARGV[4])) then return false end
if hasLost(now, seen) then return false end
writeAll(5)
return raise(KEYS[1], now, ARGV[2])`);

/**
 * KEYS: checkpoints. ARGV: of each what was seen (written as above) and the new one. Gives of each the checkpoint as it
 * is then; none where it is lower than what was seen: it stays so.
 */
export const followScript = script(`${placesScript}
local places = {}
for i, key in ipairs(KEYS) do
  local now = redis.call('GET', key)
  places[i] = not hasLost(now, place(ARGV[2 * i - 1])) and raise(key, now, ARGV[2 * i])
end
return places`);

/** KEYS: base. ARGV: beginning of the row keys, how many fields, their names, keys. Gives the fields of each row. */
export const fetchScript = script(`
local count = tonumber(ARGV[2])
local fields = {}
for i = 1, count do fields[i] = ARGV[2 + i] end
local rows = {}
for i = 3 + count, #ARGV do rows[#rows + 1] = redis.call('HMGET', ARGV[1] .. ARGV[i], unpack(fields)) end
return rows`);

/** KEYS: base. ARGV: of each range its sorted set without the beginning, from, to. Gives how many members each has. */
export const countsScript = script(`
local counts = {}
for i = 1, #ARGV, 3 do counts[#counts + 1] = redis.call('ZLEXCOUNT', KEYS[1] .. ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
return counts`);

/**
 * KEYS: sorted sets. Gives the numbers, from 1, of those that have members: by one command inside while none has any.
 */
export const occupiedScript = script(`
local occupied = {}
if redis.call('EXISTS', unpack(KEYS)) == 0 then return occupied end
for i, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then occupied[#occupied + 1] = i end
end
return occupied`);

/** KEYS: base. ARGV: row keys without their beginning. Gives the revision of each row, none where there is no row. */
export const revisionsScript = script(`
local revisions = {}
for i, row in ipairs(ARGV) do revisions[i] = redis.call('HGET', KEYS[1] .. 'r:' .. row, 'r') end
return revisions`);

/**
 * KEYS: base. ARGV: collection, scope, how many rows at most. Gives how many rows it removed; at 0 nothing of the scope
 * is left.
 */
export const dropScript = script(`
local base, place = KEYS[1], ARGV[1] .. ':' .. ARGV[2]
local removed = 0
for _, set in ipairs({ 'a:', 't:' }) do
  local keys = redis.call('ZRANGE', base .. set .. place, 0, tonumber(ARGV[3]) - 1)
  for _, key in ipairs(keys) do
    redis.call('UNLINK', base .. 'r:' .. place .. ':' .. key)
    redis.call('ZREM', base .. set .. place, key)
  end
  removed = removed + #keys
end
if removed > 0 then return removed end
for _, name in ipairs(redis.call('SMEMBERS', base .. 'n:' .. place)) do
  redis.call('UNLINK', base .. 'x:' .. place .. ':' .. name)
end
redis.call('UNLINK', base .. 'n:' .. place)
redis.call('SREM', base .. 's:' .. ARGV[1], ARGV[2])
return 0`);
