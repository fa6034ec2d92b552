import { Snapshots } from '@aos/kernel';
import type { ViewsFile } from './views-file.js';
import type { Step } from './views-messages.js';

const collection = 'snapshots'; // rows of lists have versions in their collections' names

/** Folded states in the views file. One gathers with rows until it is asked for. */
export class SqliteSnapshots extends Snapshots {
  constructor(private readonly views: ViewsFile) {
    super();
  }

  override async get(key: string): Promise<{ revision: number; state: string } | null> {
    await this.views.writer.settled(collection);
    const row = this.views.get('SELECT revision, state FROM snapshots WHERE key = ?', key);
    return row ? { revision: row['revision'] as number, state: row['state'] as string } : null;
  }

  override async put(key: string, revision: number, state: string): Promise<void> {
    const step: Step = [
      `INSERT INTO snapshots (key, revision, state) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, state = excluded.state
       WHERE excluded.revision > snapshots.revision`,
      [key, revision, state],
    ];
    await this.views.writer.runGathered([step], [collection]);
  }

  /** Closes nothing: the opener of the views file closes it. */
  override async close(): Promise<void> {
    await Promise.resolve();
  }
}
