import { Leases } from '@aos/kernel';
import type { ViewsFile } from './views-file.js';

const SWEEP_ROWS = 1000;

/** Hints in the views file, void once it is opened anew. Times are the clock's monotonic ones. */
export class SqliteLeases extends Leases {
  private readonly stopSweeping: () => void;

  constructor(private readonly views: ViewsFile) {
    super();
    this.stopSweeping = views.sweepWith(() => [
      `DELETE FROM leases WHERE name IN (SELECT name FROM leases WHERE until <= ? LIMIT ${SWEEP_ROWS})`,
      [views.clock.monotonic()],
    ]);
  }

  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    const nowMs = this.views.clock.monotonic();
    const changed = await this.views.run([
      [
        `INSERT INTO leases (name, owner, until) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE leases.owner = excluded.owner OR leases.until <= ?`,
        [name, owner, nowMs + ttlMs, nowMs],
      ],
    ]);
    return changed > 0;
  }

  override renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    return this.acquire(name, owner, ttlMs); // a lease that went missing is put back
  }

  override async release(name: string, owner: string): Promise<void> {
    await this.views.run([['DELETE FROM leases WHERE name = ? AND owner = ?', [name, owner]]]);
  }

  override async holders(names: readonly string[]): Promise<(string | null)[]> {
    const nowMs = this.views.clock.monotonic();
    return names.map(
      (name) =>
        (this.views.get('SELECT owner FROM leases WHERE name = ? AND until > ?', name, nowMs)?.['owner'] as
          string | undefined) ?? null,
    );
  }

  /** The file is closed by whoever opened it. */
  override async close(): Promise<void> {
    this.stopSweeping();
    await Promise.resolve();
  }
}
