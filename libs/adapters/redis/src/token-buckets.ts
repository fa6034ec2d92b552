import { nowScript } from './now-script.js';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

const forgottenMs = 121_000; // the emptiest bucket is full again after two minutes

/**
 * ARGV: the cost, 1 when it is taken from short buckets too, then how many tokens each bucket holds. Gives the place
 * (from 1) of the first that is short, 0 for none, then what each holds.
 */
const takeScript = script(`${nowScript}
local cost, forced = tonumber(ARGV[1]), ARGV[2] == '1'
local levels, short = {}, 0
for place, key in ipairs(KEYS) do
  local capacity = tonumber(ARGV[place + 2])
  local kept = redis.call('HMGET', key, 'tokens', 'at')
  local level = capacity
  if kept[1] then
    level = math.min(capacity, tonumber(kept[1]) + math.max(0, now - tonumber(kept[2])) * capacity / 60000)
  end
  levels[place] = level
  if level < 1 and short == 0 and not forced then short = place end
end
local answer = { short }
for place, key in ipairs(KEYS) do
  if short == 0 then
    levels[place] = math.max(-tonumber(ARGV[place + 2]), levels[place] - cost)
    redis.call('HSET', key, 'tokens', string.format('%.6f', levels[place]), 'at', string.format('%.0f', now))
    redis.call('PEXPIRE', key, ${forgottenMs})
  end
  answer[place + 1] = string.format('%.6f', levels[place])
end
return answer`);

/**
 * Token buckets in Redis that refill evenly over a minute, by Redis' clock. Refuses `StoreUnavailable` when Redis does
 * not answer.
 */
export class RedisTokenBuckets {
  constructor(private readonly connection: RedisConnection) {
    connection.share();
  }

  /**
   * Takes the cost from each bucket of an organization, or from none when one holds less than one token and it is not
   * forced.
   *
   * Gives  the place of the short one or -1, and what each holds: not less than its capacity below zero.
   */
  async take(
    orgId: string,
    buckets: readonly { name: string; capacity: number }[],
    cost = 1,
    isForced = false,
  ): Promise<{ short: number; left: number[] }> {
    const keys = buckets.map(({ name }) => `${this.connection.prefix}:rate:{${orgId}}:${name}`);
    const answer = await this.connection.run((client) =>
      runScript(client, takeScript, keys, [cost, isForced ? 1 : 0, ...buckets.map(({ capacity }) => capacity)]),
    );
    const [short, ...left] = answer as [number, ...string[]];
    return { short: short - 1, left: left.map(Number) };
  }

  async close(): Promise<void> {
    await this.connection.release();
  }
}
