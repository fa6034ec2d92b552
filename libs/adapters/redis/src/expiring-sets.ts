import { nowScript } from './now-script.js';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

/**
 * ARGV: member, milliseconds, how many members each set may have. Gives the place (from 1) of the first full set, 0 for
 * none, then what each had.
 */
const joinScript = script(`${nowScript}
local full, answer = 0, { 0 }
for place, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  answer[place + 1] = redis.call('ZCARD', key)
  if answer[place + 1] >= tonumber(ARGV[place + 2]) and full == 0 then full = place end
end
if full == 0 then
  for _, key in ipairs(KEYS) do
    redis.call('ZADD', key, now + tonumber(ARGV[2]), ARGV[1])
    redis.call('PEXPIRE', key, ARGV[2])
  end
end
answer[1] = full
return answer`);

/** ARGV: milliseconds, then the members. */
const renewScript = script(`${nowScript}
for place = 2, #ARGV do redis.call('ZADD', KEYS[1], now + tonumber(ARGV[1]), ARGV[place]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 0`);

/** ARGV: the member. */
const leaveScript = script(`
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
return 0`);

/**
 * Sets in Redis whose members end by Redis' clock unless they are renewed. Refuses `StoreUnavailable` when Redis does
 * not answer.
 */
export class RedisExpiringSets {
  constructor(private readonly connection: RedisConnection) {
    connection.share();
  }

  /**
   * Puts a member into each set of an organization, or into none when one is full. Gives the place of the full one or
   * -1, and how many each had.
   */
  async join(
    orgId: string,
    member: string,
    sets: readonly { name: string; limit: number }[],
    forMs: number,
  ): Promise<{ full: number; counts: number[] }> {
    const keys = this.keys(
      orgId,
      sets.map(({ name }) => name),
    );
    const answer = await this.connection.run((client) =>
      runScript(client, joinScript, keys, [member, forMs, ...sets.map(({ limit }) => limit)]),
    );
    const [full, ...counts] = answer as [number, ...number[]];
    return { full: full - 1, counts };
  }

  /** Renews members, and puts back those that were lost. */
  async renew(orgId: string, set: string, members: readonly string[], forMs: number): Promise<void> {
    await this.connection.run((client) => runScript(client, renewScript, this.keys(orgId, [set]), [forMs, ...members]));
  }

  async leave(orgId: string, member: string, sets: readonly string[]): Promise<void> {
    await this.connection.run((client) => runScript(client, leaveScript, this.keys(orgId, sets), [member]));
  }

  async close(): Promise<void> {
    await this.connection.release();
  }

  private keys(orgId: string, sets: readonly string[]): string[] {
    return sets.map((set) => `${this.connection.prefix}:streams:{${orgId}}:${set}`);
  }
}
