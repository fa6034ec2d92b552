import { Leases } from '@aos/kernel';
import { LeaseRenewals } from './lease-renewals.js';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

const releaseScript = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`);

/** Leases as keys that expire by Redis' clock. Refuses `StoreUnavailable` when Redis does not answer. */
export class RedisLeases extends Leases {
  private readonly renewals: LeaseRenewals;

  constructor(private readonly connection: RedisConnection) {
    super();
    connection.share();
    this.renewals = new LeaseRenewals(connection);
  }

  /** Nearly always it is free, and taken by one plain command. */
  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    this.renewals.hurry(this.keyOf(name));
    const holder = await this.connection.run((client) =>
      client.set(this.keyOf(name), owner, 'PX', millisecondsOf(ttlMs), 'NX', 'GET'),
    );
    return holder === null || (holder === owner && (await this.renew(name, owner, ttlMs)));
  }

  override renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.renewals.renew(this.keyOf(name), owner, ttlMs);
  }

  override async release(name: string, owner: string): Promise<void> {
    this.renewals.hurry(this.keyOf(name));
    await this.connection.run((client) => runScript(client, releaseScript, [this.keyOf(name)], [owner]));
  }

  /** One command, on a cluster one for each. */
  override async holders(names: readonly string[]): Promise<(string | null)[]> {
    const keys = names.map((name) => this.keyOf(name));
    if (keys.length === 0) return [];
    return this.connection.run((client) =>
      client.isCluster ? Promise.all(keys.map((key) => client.get(key))) : client.mget(keys),
    );
  }

  override async close(): Promise<void> {
    await this.renewals.close();
    await this.connection.release();
  }

  private keyOf(name: string): string {
    return `${this.connection.prefix}:lease:${name}`;
  }
}

const millisecondsOf = (ttlMs: number): number => Math.max(1, Math.ceil(ttlMs));
