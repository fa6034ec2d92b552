import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { LiveBus, type BusSubscription } from '@aos/kernel';

const watchedOrganizationsMax = 10_000;

/**
 * Announces that permissions have changed in an organization: at once in this process, over the live bus in the others.
 *
 * Does not promise that an announcement from another process arrives: a cache of answers reads again after at most 10
 * s.
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

  /** Grows with every change that became known. An answer must not be cached when this grew while it was worked out. */
  get generation(): number {
    return this.count;
  }

  /**
   * Calls the listener with the organization, or with null when announcements of any organization may have been lost.
   * Gives the function that stops it.
   */
  onChange(listener: (orgId: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Announces a change that this process made. Listeners here are called at once; resolves when the other processes
   * have the announcement, or it is lost.
   */
  announce(orgId: string): Promise<void> {
    this.tell(orgId);
    return this.bus.deliver(`access:${orgId}`, 1);
  }

  /** Counts a change of another process as known before its announcement arrives. */
  heard(orgId: string): void {
    this.tell(orgId);
  }

  /**
   * Subscribes to announcements of an organization. Beyond 10000 organizations the one watched longest is dropped and
   * counts as changed, because its changes are no longer seen.
   */
  watch(orgId: string): void {
    if (this.watched.has(orgId)) return;
    const entry = { subscription: this.bus.subscribe(`access:${orgId}`, () => this.tell(orgId)), isReady: false };
    this.watched.set(orgId, entry);
    entry.subscription.ready.then(
      () => {
        entry.isReady = true;
        this.count += 1; // answers worked out before may have missed a change
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
   * Whether answers about the organization may be cached: its announcements arrive, or the live bus is down and only
   * the answer's age bounds it.
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
