import { Injectable } from '@nestjs/common';
import { ReadStore, collection, type CollectionPage, type Condition, type QueryCursor } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import {
  Claims,
  DefinitionStreams,
  bindingWord,
  resourceKindOf,
  resourceKinds,
  type AnyKind,
  type AnyRecord,
} from '@aos/definitions/published';
import type { IntendedEntry } from '../blueprint/blueprint.events.js';
import { lookUpsAtOnce } from '../blueprint/blueprint.limits.js';
import {
  belongsTo,
  blueprintKind,
  blueprintStreamId,
  entryId,
  type BlueprintIdentity,
} from '../blueprint/blueprint.state.js';
import { BoundedPool } from './bounded-pool.js';

const rowsAtOnce = 500;

/** A blueprint's live bindings, and the resources that it was last about to bind. */
export interface Current {
  /** `entryId` -> live resource bound to the key. */
  bound: Map<string, AnyRecord>;
  /** `entryId` -> the resource that was last about to be bound to the key. */
  intended: ReadonlyMap<string, IntendedEntry>;
}

/**
 * Finds the resources that a blueprint binds. The blueprint's stream names the candidates; each resource's own stream
 * says whether it is bound.
 */
@Injectable()
export class CurrentBindings {
  constructor(
    private readonly decisions: Decisions,
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
    private readonly readStore: ReadStore,
  ) {}

  /**
   * The live bindings of one blueprint, read fresh.
   *
   * Takes    whether creates that broke off are carried out now; otherwise they count as carried out and no event is
   *          written.
   */
  async of(orgId: string, identity: BlueprintIdentity, { finishing }: { finishing: boolean }): Promise<Current> {
    const { state } = await this.decisions.load(blueprintKind, blueprintStreamId(orgId, identity));
    const intended = new Map(state.entries);
    const bound = new Map<string, AnyRecord>();
    const found = await BoundedPool.map([...intended.values()], lookUpsAtOnce, (entry) =>
      this.record(orgId, entry, finishing),
    );
    for (const [index, entry] of [...intended.values()].entries()) {
      const record = found[index];
      const isBound =
        record?.deleted_at === null &&
        record.binding !== null &&
        belongsTo(record.binding, identity) &&
        record.binding.key === entry.key;
      if (isBound) bound.set(entryId(entry.resource_type, entry.key), record);
    }
    return { bound, intended };
  }

  /** Every live resource that blueprints bind and that the index words find, from the rows of the lists. */
  async found(orgId: string, resources: readonly AnyKind[], words: readonly string[]): Promise<AnyRecord[]> {
    const where: Condition[] = words.map((word) => ({ index: 'binding', has: word }));
    const all: AnyRecord[] = [];
    for (const { projection } of resources) {
      let after: QueryCursor | null = null;
      do {
        const page: CollectionPage<AnyRecord> = await collection<AnyRecord>(projection).query(this.readStore, {
          scope: [orgId],
          where,
          limit: rowsAtOnce,
          ...(after ? { after } : {}),
        });
        for (const { doc } of page.rows) all.push(doc);
        after = page.next;
      } while (after);
    }
    return all;
  }

  /** The bindings of an organization that a filter leaves (rule B26). */
  list(orgId: string, filter: { namespace?: string; blueprint_key?: string }): Promise<AnyRecord[]> {
    const words = [
      ...(filter.namespace === undefined ? [] : [bindingWord({ namespace: filter.namespace })]),
      ...(filter.blueprint_key === undefined ? [] : [bindingWord({ blueprintKey: filter.blueprint_key })]),
    ];
    return this.found(orgId, resourceKinds, words.length > 0 ? words : [bindingWord('any')]);
  }

  private async record(orgId: string, entry: IntendedEntry, finishing: boolean): Promise<AnyRecord | null> {
    const { kind } = resourceKindOf(entry.resource_type);
    const latest = await this.streams.latest(kind, orgId, entry.resource_id);
    if (latest) return latest.record;
    const holder = await (finishing
      ? this.claims.named(kind, orgId, entry.name)
      : this.claims.peek(kind, orgId, entry.name));
    return holder?.record.id === entry.resource_id ? holder.record : null;
  }
}
