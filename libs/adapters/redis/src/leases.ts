import { Leases } from '@aos/kernel';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

/** Takes a free lease and renews the owner's own. An owner also restores a lease that went missing this way. */
const holdScript = script(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
if owner then redis.call('PEXPIRE', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1`);

const releaseScript = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);

/** Leases as keys that expire by Redis' clock. Refuses `StoreUnavailable` when Redis does not answer. */
export class RedisLeases extends Leases {
  constructor(private readonly connection: RedisConnection) {
    super();
    connection.share();
  }

  /** Nearly always it is free, and taken by one plain command. */
  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    const holder = await this.connection.run((client) =>
      client.set(this.keyOf(name), owner, 'PX', millisecondsOf(ttlMs), 'NX', 'GET'),
    );
    return holder === null || (holder === owner && (await this.hold(name, owner, ttlMs)));
  }

  override renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.hold(name, owner, ttlMs);
  }

  override async release(name: string, owner: string): Promise<void> {
    await this.connection.run((client) => runScript(client, releaseScript, [this.keyOf(name)], [owner]));
  }

  override holders(names: readonly string[]): Promise<(string | null)[]> {
    return this.connection.run((client) => Promise.all(names.map((name) => client.get(this.keyOf(name)))));
  }

  override async close(): Promise<void> {
    await this.connection.release();
  }

  private async hold(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return (
      (await this.connection.run((client) =>
        runScript(client, holdScript, [this.keyOf(name)], [owner, millisecondsOf(ttlMs)]),
      )) === 1
    );
  }

  private keyOf(name: string): string {
    return `${this.connection.prefix}:lease:${name}`;
  }
}

const millisecondsOf = (ttlMs: number): number => Math.max(1, Math.ceil(ttlMs));
