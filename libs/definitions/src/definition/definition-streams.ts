import { Injectable } from '@nestjs/common';
import { notFound, type AnyEvent, type DeciderEntry, type Identity, type StreamKind } from '@aos/kernel';
import { Decisions, Payloads, type Actor, type Decided, type DecideOptions } from '@aos/platform';
import { canSee } from './custody.decide.js';
import type { DefinitionRecord, Named } from './definition.events.js';
import type { DefinitionKind } from './definition.state.js';
import { judgedDecider } from './definition.decider.js';
import { Moved } from './judged.decide.js';

export interface Latest<D> {
  record: DefinitionRecord<D>;
  revision: number;
}

/** Reading and writing definition streams at the exact revision that was judged, with large values put back. */
@Injectable()
export class DefinitionStreams {
  constructor(
    private readonly decisions: Decisions,
    private readonly payloads: Payloads,
  ) {}

  /**
   * The newest record, read at the stream's true end.
   *
   * Gives    the record (deleted ones too) and its revision; null for an id without events or of another organization.
   */
  async latest<D extends Named>(kind: DefinitionKind<D>, orgId: string, id: string): Promise<Latest<D> | null> {
    const found = await this.newest(kind, id);
    if (!found || found.record.org_id !== orgId) return null;
    return { record: await this.payloads.hydrate(orgId, found.record), revision: found.revision };
  }

  /** The live resource of this id within a caller's reach, or 404. */
  async visible<D extends Named>(kind: DefinitionKind<D>, who: Identity, id: string): Promise<DefinitionRecord<D>> {
    const latest = await this.latest(kind, who.orgId, id);
    if (!latest || latest.record.deleted_at !== null || !canSee(latest.record, who)) throw notFound(kind.category);
    return latest.record;
  }

  /** The organization that an id belongs to; null for an unknown one. */
  async organizationOf<D extends Named>(kind: DefinitionKind<D>, id: string): Promise<string | null> {
    return (await this.newest(kind, id))?.record.org_id ?? null;
  }

  /** The newest record, with large values still replaced by references to blobs. */
  private async newest<D extends Named>(kind: DefinitionKind<D>, id: string): Promise<Latest<D> | null> {
    if (!/^[a-z]+_[0-9a-z]{1,120}$/.test(id)) return null;
    const { state, revision } = await this.decisions.load(kind, id);
    const { record } = state;
    if (revision < 0) this.decisions.forget(kind, id); // an unknown id takes no room in the cache
    return record ? { record, revision } : null;
  }

  async load<S, E extends AnyEvent>(kind: StreamKind<S, E>, id: string): Promise<{ state: S; revision: number }> {
    const { state, revision } = await this.decisions.load(kind, id);
    return { state, revision };
  }

  hydrate<T>(orgId: string, value: T): Promise<T> {
    return this.payloads.hydrate(orgId, value);
  }

  decide<S, E extends AnyEvent, C>(
    entry: DeciderEntry<S, E, C>,
    id: string,
    actor: Actor,
    command: C,
    options?: DecideOptions,
  ): Promise<Decided<S, E>> {
    return this.decisions.decide(entry, id, actor, command, options);
  }

  /** As `decide`, for a command that holds at one revision; false when the stream moved: then nothing was written. */
  async decideUnmoved<S, E extends AnyEvent, C>(
    entry: DeciderEntry<S, E, C>,
    id: string,
    actor: Actor,
    command: C,
    options?: DecideOptions,
  ): Promise<boolean> {
    try {
      await this.decisions.decide(entry, id, actor, command, options);
      return true;
    } catch (error) {
      if (error instanceof Moved) return false;
      throw error;
    }
  }

  /** Writes at exactly `revision`; false when the stream has another revision by now; then nothing was written. */
  writeAt<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    id: string,
    actor: Actor,
    revision: number,
    events: readonly E[],
    options?: DecideOptions,
  ): Promise<boolean> {
    return this.decideUnmoved(judgedDecider(kind).recordJudged, id, actor, { revision, events }, options);
  }
}
