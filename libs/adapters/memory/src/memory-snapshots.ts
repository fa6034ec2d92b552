import { Snapshots } from '@aos/kernel';

/** Folded states that live as long as the object. */
export class MemorySnapshots extends Snapshots {
  private readonly kept = new Map<string, { revision: number; state: string }>();

  override async get(key: string): Promise<{ revision: number; state: string } | null> {
    const snapshot = this.kept.get(key);
    return snapshot ? { ...snapshot } : null;
  }

  override async put(key: string, revision: number, state: string): Promise<void> {
    if ((this.kept.get(key)?.revision ?? -Infinity) < revision) this.kept.set(key, { revision, state });
  }

  override async close(): Promise<void> {
    this.kept.clear();
  }
}
