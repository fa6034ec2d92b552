import { Injectable } from '@nestjs/common';
import {
  Clock,
  GenerationalCache,
  StoreUnavailable,
  notFound,
  rfc3339,
  type DeciderEntry,
  type Identity,
  type Position,
} from '@aos/kernel';
import { OrganizationSalts } from '@aos/access/published';
import { Decisions, actorOf } from '@aos/platform';
import { memoryDecider } from '../memory.decider.js';
import type { MemoryCommand } from './memory.decide.js';
import type { MemoryEntry, MemoryEvent, MemoryReason } from './memory.events.js';
import { evictedAtOnceMax, partitionSoftCap, type DesiredMemory } from './memory.limits.js';
import { memoryStreamId, type MemoryState } from './memory.state.js';
import { MemoryReader, requireMemoryKey } from './memory-reader.js';
import { requirePartition } from './partition.decide.js';

/** Organizations whose last change is remembered. */
const organizationsMax = 10_000;

/** The entry to write, its writer and the reason. */
export interface MemoryWriteContext {
  who: Identity;
  agentId: string;
  userId: string;
  key: string;
  reason: MemoryReason;
  deliveryId: string | null;
}

/**
 * Writes entries of partitions within the writer's reach (rule R46). Agents are looked up, and their reach checked,
 * before.
 */
@Injectable()
export class MemoryEntries {
  /** Of each organization the position of the last change that was written here. */
  private readonly written = new GenerationalCache<Position>(organizationsMax);

  constructor(
    private readonly decisions: Decisions,
    private readonly reader: MemoryReader,
    private readonly salts: OrganizationSalts,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses bad_request; not_found for a partition out of reach. A partition above its soft cap loses its least
   * important, oldest unpinned entries.
   */
  async save(
    context: MemoryWriteContext,
    desired: DesiredMemory,
  ): Promise<{ entry: MemoryEntry | null; created: boolean }> {
    requirePartition(context.who, context.userId);
    const command = { ...(await this.command(context)), desired };
    const { state, written } = await this.write(memoryDecider.saveEntry, context, command);
    const { entry } = state;
    const told = state.deliveries.find(({ id }) => id === context.deliveryId);
    const created = told ? told.created : written === 'MemoryEntryCreated';
    if (written === 'MemoryEntryCreated') await this.keepWithinCap(context);
    return { entry, created };
  }

  /**
   * True when there was something to delete, now or when this delivery came first. Refuses not_found for a partition
   * out of reach.
   */
  async delete(context: MemoryWriteContext): Promise<boolean> {
    requirePartition(context.who, context.userId);
    return this.erase(context);
  }

  /** As `delete`, of any partition: for the erasure of a whole one. */
  async erase(context: MemoryWriteContext): Promise<boolean> {
    const command = await this.command(context);
    const { state, written } = await this.write(memoryDecider.deleteEntry, context, command);
    return (
      written === 'MemoryEntryDeleted' ||
      state.deliveries.some(({ id, idle }) => id === context.deliveryId && idle !== true)
    );
  }

  /**
   * Copies the caller's own entry into the shared partition (rule TE17). Refuses not_found for an entry that is not
   * there or is not the caller's; already_exists.
   */
  async promote(
    { who, agentId, key }: Omit<MemoryWriteContext, 'userId' | 'reason' | 'deliveryId'>,
    { userId, replace }: { userId: string; replace: boolean },
  ): Promise<MemoryEntry> {
    const own = userId === '' ? null : await this.reader.entry(who, agentId, userId, key);
    if (!own) throw notFound('memory entry');
    const context = { who, agentId, userId: '', key, reason: 'promoted' as const, deliveryId: null };
    const command = { ...(await this.command(context)), wire: own.wire, replace };
    const { state, written } = await this.write(memoryDecider.promoteEntry, context, command);
    if (written === 'MemoryEntryCreated') await this.keepWithinCap(context);
    if (!state.entry) throw new StoreUnavailable('the entry was deleted in the same moment');
    return state.entry;
  }

  /** Refuses not_found to all but the person that promoted the entry; conflict when it was changed since. */
  async revertPromotion({ who, agentId, key }: Pick<MemoryWriteContext, 'who' | 'agentId' | 'key'>): Promise<void> {
    requireMemoryKey(key);
    const context = { who, agentId, userId: '', key, reason: 'promotion_reverted' as const, deliveryId: null };
    await this.write(memoryDecider.revertPromotion, context, await this.command(context));
  }

  private async write<C extends MemoryCommand>(
    entry: DeciderEntry<MemoryState, MemoryEvent, C>,
    { who }: MemoryWriteContext,
    command: C,
  ): Promise<{ state: MemoryState; written: string | null }> {
    const { state, events, position } = await this.decisions.decide(entry, command.stream, actorOf(who), command);
    const written = events[0]?.type ?? null;
    if (position !== null && written !== 'MemoryDeliveryNoted' && position > this.lastWritten(who.orgId))
      this.written.set(who.orgId, position); // the feed has no row for a noted delivery
    return { state, written };
  }

  /** Position of an organization's last change that was written here: a reader of the feed can wait for it. */
  lastWritten(orgId: string): Position {
    return this.written.get(orgId) ?? '';
  }

  private async keepWithinCap(context: MemoryWriteContext): Promise<void> {
    const { who, agentId, userId } = context;
    const over =
      (await this.reader.size(who.orgId, agentId, userId, partitionSoftCap + evictedAtOnceMax)) - partitionSoftCap;
    if (over <= 0) return;
    for (const { key } of await this.reader.leaving(who.orgId, agentId, userId, over)) {
      await this.delete({ who, agentId, userId, key, reason: 'soft_cap', deliveryId: null });
    }
  }

  private async command({ who, agentId, userId, key, reason, deliveryId }: MemoryWriteContext): Promise<MemoryCommand> {
    const stream = memoryStreamId(await this.salts.of(who.orgId), agentId, userId, key);
    return {
      orgId: who.orgId,
      agentId,
      userId,
      key,
      stream,
      reason,
      actorId: who.principalId,
      deliveryId,
      at: rfc3339(this.clock.now()),
    };
  }
}
