import { FairQueue, OrganizationSlots, type SlotBounds } from '@aos/kernel';

/** How much one process runs at once, and how much waits for a slot. */
export interface WorkBounds {
  running: SlotBounds;
  /** Null: nothing waits. */
  waiting: SlotBounds | null;
}

interface Owned {
  phase: 'reserved' | 'waiting' | 'running';
  /** Organization whose slot the work has; null: it has none yet. */
  slotOf: string | null;
}

interface Waiting<Key> {
  orgId: string;
  key: Key;
  work: () => Promise<void>;
}

/**
 * Work that one process owns, by key: reserved before the record of it is written, so that recovery in this process
 * does not take it for lost; then running, or waiting until its organization has a slot.
 *
 * Where nothing waits, the reservation takes the slot: work that was recorded begins. Where work can wait, its slot is
 * taken when it begins.
 */
export class WorkSlots<Key> {
  private readonly owned = new Map<Key, Owned>();
  private readonly running = new Map<Key, Promise<void>>();
  private readonly slots: OrganizationSlots;
  private readonly queue: FairQueue<Waiting<Key>> | null;
  private closed = false;

  constructor({ running, waiting }: WorkBounds) {
    this.slots = new OrganizationSlots(running);
    this.queue = waiting && new FairQueue(waiting.perOrganization, waiting.all);
  }

  holds(key: Key): boolean {
    return this.owned.has(key);
  }

  /** Keys of all that is reserved, waits or runs. */
  get ownedKeys(): Iterable<Key> {
    return this.owned.keys();
  }

  get runningKeys(): Iterable<Key> {
    return this.running.keys();
  }

  /** Whether more work of the organization would get a slot now. */
  hasRoom(orgId: string): boolean {
    return this.slots.hasRoom(orgId);
  }

  /**
   * Runs `record`, which may call `start` for these keys. What it did not start is owned no longer. Keys that are owned
   * already stay as they are: `record` gets those that are not.
   */
  async reserving<T>(
    orgId: string,
    keys: readonly Key[],
    record: (reserved: ReadonlySet<Key>) => Promise<T>,
  ): Promise<T> {
    const reserved = new Map<Key, Owned>();
    for (const key of keys) if (!this.owned.has(key)) reserved.set(key, this.own(orgId, key));
    try {
      return await record(new Set(reserved.keys()));
    } finally {
      for (const [key, owned] of reserved)
        if (owned.phase === 'reserved' && this.owned.get(key) === owned) this.leave(key);
    }
  }

  /**
   * Runs the work, which never rejects, at once or when a slot is free. False when there is no room even to wait, or
   * this is closed.
   */
  start(orgId: string, key: Key, work: () => Promise<void>): boolean {
    if (this.closed) return false;
    const waits = this.queue !== null && !this.slots.hasRoom(orgId);
    if (waits && !this.queue.hasRoom(orgId)) return false;
    if (waits) {
      (this.owned.get(key) ?? this.own(orgId, key)).phase = 'waiting';
      this.queue.push(orgId, { orgId, key, work });
    } else this.launch({ orgId, key, work });
    return true;
  }

  /** Resolves when the work of the key, if any runs, is over. */
  async ended(key: Key): Promise<void> {
    await this.running.get(key);
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running.values());
  }

  /** Starts nothing more; what waits is dropped, what runs goes on. */
  close(): void {
    this.closed = true;
    this.queue?.clear();
  }

  private own(orgId: string, key: Key): Owned {
    const owned: Owned = { phase: 'reserved', slotOf: null };
    this.owned.set(key, owned);
    if (!this.queue) this.takeSlot(owned, orgId);
    return owned;
  }

  private takeSlot(owned: Owned, orgId: string): void {
    if (owned.slotOf !== null) return;
    owned.slotOf = orgId;
    this.slots.take(orgId);
  }

  private leave(key: Key): void {
    const owned = this.owned.get(key);
    this.owned.delete(key);
    if (owned && owned.slotOf !== null) this.slots.free(owned.slotOf);
  }

  private launch({ orgId, key, work }: Waiting<Key>): void {
    const owned = this.owned.get(key) ?? this.own(orgId, key);
    owned.phase = 'running';
    this.takeSlot(owned, orgId);
    const done = work().then(() => {
      this.running.delete(key);
      this.leave(key);
      const next = this.queue?.shift((waiting) => this.slots.hasRoom(waiting));
      if (next) this.launch(next);
    });
    this.running.set(key, done);
  }
}
