import { Snapshots } from '@aos/kernel';
import { script } from './read-store-scripts.js';
import { runScript, type RedisConnection } from './redis-connection.js';

const keptMs = 30 * 86_400_000;

const putScript = script(`
local old = redis.call('HGET', KEYS[1], 'r')
if old and tonumber(old) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'r', ARGV[1], 's', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`);

/**
 * Folded states in Redis; one that was not replaced for 30 days is forgotten. Refuses `StoreUnavailable` when Redis
 * does not answer.
 */
export class RedisSnapshots extends Snapshots {
  constructor(private readonly connection: RedisConnection) {
    super();
    connection.share();
  }

  override async get(key: string): Promise<{ revision: number; state: string } | null> {
    const [revision, state] = await this.connection.run((client) => client.hmget(this.keyOf(key), 'r', 's'));
    return revision == null || state == null ? null : { revision: Number(revision), state };
  }

  override async put(key: string, revision: number, state: string): Promise<void> {
    await this.connection.run((client) => runScript(client, putScript, [this.keyOf(key)], [revision, state, keptMs]));
  }

  override async close(): Promise<void> {
    await this.connection.release();
  }

  private keyOf(key: string): string {
    return `${this.connection.prefix}:snapshot:${key}`;
  }
}
