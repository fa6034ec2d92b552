import { Injectable } from '@nestjs/common';
import type { AnyEvent, StreamKind } from '@aos/kernel';
import { Decisions, Payloads, type Actor, type Decided, type DecideOptions } from '@aos/platform';
import type { DefinitionRecord, Named } from './definition.events.js';
import type { DefinitionKind } from './definition.state.js';

export interface Latest<D> {
  record: DefinitionRecord<D>;
  revision: number;
}

/** The stream moved since it was read: read again and decide again. */
class Moved extends Error {}

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

  run<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    id: string,
    actor: Actor,
    decide: (state: S) => readonly E[],
    options?: DecideOptions,
  ): Promise<Decided<S, E>> {
    return this.decisions.run(kind, id, actor, decide, options);
  }

  /** Writes at exactly `revision`; false when the stream has another revision by now; then nothing was written. */
  async writeAt<S, E extends AnyEvent>(
    kind: StreamKind<S, E>,
    id: string,
    actor: Actor,
    revision: number,
    events: readonly E[],
    options?: DecideOptions,
  ): Promise<boolean> {
    try {
      await this.decisions.run(
        kind,
        id,
        actor,
        (_state, at) => {
          if (at !== revision) throw new Moved(`${kind.category}-${id} is at ${at}`);
          return events;
        },
        options,
      );
      return true;
    } catch (error) {
      if (error instanceof Moved) return false;
      throw error;
    }
  }
}
