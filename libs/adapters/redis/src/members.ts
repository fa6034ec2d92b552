import { Members, type Member } from '@aos/kernel';
import { nowScript } from './now-script.js';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

/**
 * KEYS: when each member ends, and what it says of itself. ARGV: address, milliseconds, what it says. Those that ended
 * are taken out; both keys end with the last member.
 */
const renewScript = script(`${nowScript}
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], gone)
  redis.call('HDEL', KEYS[2], gone)
end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
local last = tonumber(redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
redis.call('PEXPIRE', KEYS[1], last - now)
redis.call('PEXPIRE', KEYS[2], last - now)
return 0`);

const leaveScript = script(`
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 0`);

/** Gives what each member says that has not ended. */
const allScript = script(`${nowScript}
local there = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
if #there == 0 then return {} end
return redis.call('HMGET', KEYS[2], unpack(there))`);

/** Members of a group that end by Redis' clock. Refuses `StoreUnavailable` when Redis does not answer. */
export class RedisMembers extends Members {
  constructor(private readonly connection: RedisConnection) {
    super();
    connection.share();
  }

  override async renew(group: string, member: Member, ttlMs: number): Promise<void> {
    const { address, weight, startedAt, build } = member;
    const said = JSON.stringify({ address, weight, startedAt, build });
    const forMs = Math.max(1, Math.ceil(ttlMs));
    await this.connection.run((client) => runScript(client, renewScript, this.keys(group), [address, forMs, said]));
  }

  override async leave(group: string, address: string): Promise<void> {
    await this.connection.run((client) => runScript(client, leaveScript, this.keys(group), [address]));
  }

  override async all(group: string): Promise<Member[]> {
    const answer = await this.connection.run((client) => runScript(client, allScript, this.keys(group), []));
    return (answer as (string | null)[])
      .flatMap((said) => (said === null ? [] : [JSON.parse(said) as Member]))
      .sort((a, b) => (a.address < b.address ? -1 : 1));
  }

  override async close(): Promise<void> {
    await this.connection.release();
  }

  /** Of one hash tag, so that both lie on one node of a cluster. */
  private keys(group: string): string[] {
    return ['ends', 'about'].map((part) => `${this.connection.prefix}:members:{${group}}:${part}`);
  }
}
