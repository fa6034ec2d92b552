import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LiveBus, type BusSubscription } from '@aos/kernel';

const watchedOrganizationsMax = 10_000;

/**
 * Tells who may do what has changed in an organization: at once in this process, over the live bus in the others.
 *
 * Does not promise that word from another process arrives: whoever keeps answers reads again after at most 10 s.
 */
@Injectable()
export class AccessChanges implements OnModuleDestroy {
  private readonly logger = new Logger('access');
  private readonly listeners = new Set<(orgId: string | null) => void>();
  private readonly watched = new Map<string, { subscription: BusSubscription; isReady: boolean }>();
  private count = 0;

  constructor(private readonly bus: LiveBus) {
    bus.onHealth((healthy) => {
      if (healthy) this.tell(null);
    });
  }

  /** Grows with every change that became known; an answer worked out across one is not to be kept. */
  get generation(): number {
    return this.count;
  }

  /** Called with the organization, or null when word of some may have been lost. Gives the way to stop. */
  onChange(listener: (orgId: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * This process changed something. Known here at once; resolves when the other processes have word of it, or word is
   * lost.
   */
  announce(orgId: string): Promise<void> {
    this.tell(orgId);
    return this.bus.deliver(`access:${orgId}`, 1);
  }

  /** Another process is about to say that it changed something, and its word may still be on the way. */
  heard(orgId: string): void {
    this.tell(orgId);
  }

  /**
   * Listens to the other processes; the longest watched organization leaves when there are too many, as a change that
   * cannot be told apart.
   */
  watch(orgId: string): void {
    if (this.watched.has(orgId)) return;
    const entry = { subscription: this.bus.subscribe(`access:${orgId}`, () => this.tell(orgId)), isReady: false };
    this.watched.set(orgId, entry);
    entry.subscription.ready.then(
      () => {
        entry.isReady = true;
        this.count += 1; // what was worked out before may have missed a change
      },
      (error: unknown) => {
        this.logger.warn(`${orgId} is not watched: ${String(error)}`);
      },
    );
    if (this.watched.size <= watchedOrganizationsMax) return;
    const [oldest] = this.watched;
    if (!oldest) return;
    oldest[1].subscription.close();
    this.watched.delete(oldest[0]);
    this.tell(oldest[0]);
  }

  /**
   * Whether answers about the organization may be kept: word of changes comes through, or nobody can have it and age
   * alone bounds them.
   */
  mayKeep(orgId: string): boolean {
    return !this.bus.healthy || this.watched.get(orgId)?.isReady === true;
  }

  onModuleDestroy(): void {
    for (const { subscription } of this.watched.values()) subscription.close();
    this.watched.clear();
  }

  private tell(orgId: string | null): void {
    this.count += 1;
    for (const listener of this.listeners) listener(orgId);
  }
}
