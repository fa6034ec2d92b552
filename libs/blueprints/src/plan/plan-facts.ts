import { Injectable } from '@nestjs/common';
import { StoreUnavailable, derivedId, type Identity } from '@aos/kernel';
import { OrganizationSalts } from '@aos/access/published';
import {
  Claims,
  DefinitionStreams,
  bindingWord,
  resourceKindOf,
  resourceKinds,
  type AnyRecord,
  type Reference,
} from '@aos/definitions/published';
import { generationsMax, lookUpsAtOnce } from '../blueprint/blueprint.limits.js';
import { belongsTo, entryId, type BlueprintIdentity } from '../blueprint/blueprint.state.js';
import { CurrentBindings, type Current } from '../bindings/current-bindings.js';
import { BoundedPool } from '../bindings/bounded-pool.js';
import {
  nameId,
  referredId,
  requestedOf,
  type ApplyRequest,
  type NewId,
  type PlanFacts,
  type Requested,
} from './plan.state.js';

/** Reads the facts that a plan rests on. */
@Injectable()
export class PlanFactsReader {
  constructor(
    private readonly bindings: CurrentBindings,
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
    private readonly salts: OrganizationSalts,
  ) {}

  /**
   * Takes    the request, and whether name claims that broke off are carried out now (apply) or count as carried out
   *          (preview, which writes no events).
   * Gives    the facts, and the blueprint's bindings.
   */
  async read(
    request: ApplyRequest,
    who: Identity,
    { finishing }: { finishing: boolean },
  ): Promise<{ facts: PlanFacts; current: Current }> {
    const current = await this.bindings.of(who.orgId, request.identity, { finishing });
    const all = requestedOf(resourceKinds, request.resources);
    const unbound = all.filter(({ resource, entry }) => !current.bound.has(entryId(resource.type, entry.key)));
    const named = all.filter(
      ({ resource, entry }) => current.bound.get(entryId(resource.type, entry.key))?.wire.name !== entry.name,
    );
    const references = all.flatMap(({ resource, entry }) => resource.blueprint.skills?.(entry) ?? []);
    const facts: PlanFacts = {
      bound: current.bound,
      holders: await this.holders(who.orgId, named, finishing),
      newIds: await this.newIds(who.orgId, request.identity, unbound, current),
      skills: await this.skills(who.orgId, references),
      foreign: await this.foreign(who.orgId, request.identity, references),
    };
    return { facts, current };
  }

  private async holders(
    orgId: string,
    wanted: readonly Requested[],
    finishing: boolean,
  ): Promise<Map<string, AnyRecord[]>> {
    const found = await BoundedPool.map(wanted, lookUpsAtOnce, ({ resource, entry }) =>
      finishing
        ? this.claims.named(resource.kind, orgId, entry.name)
        : this.claims.peek(resource.kind, orgId, entry.name),
    );
    const holders = new Map<string, AnyRecord[]>();
    for (const [index, { resource, entry }] of wanted.entries()) {
      const latest = found[index];
      if (latest) holders.set(nameId(resource.type, entry.name), [latest.record]);
    }
    return holders;
  }

  /**
   * Ids of the resources to create, each from the first generation of its key that no resource has. An interrupted
   * apply and its repeat give the same id.
   */
  private async newIds(
    orgId: string,
    identity: BlueprintIdentity,
    unbound: readonly Requested[],
    { intended }: Current,
  ): Promise<Map<string, NewId>> {
    if (unbound.length === 0) return new Map();
    const salt = await this.salts.of(orgId);
    const ids = await BoundedPool.map(unbound, lookUpsAtOnce, async ({ resource, entry }): Promise<NewId> => {
      const first = intended.get(entryId(resource.type, entry.key))?.generation ?? 0;
      for (let generation = first; generation < first + generationsMax; generation += 1) {
        const parts = [
          'blueprint',
          identity.namespace ?? '',
          identity.blueprintKey === null ? '' : `=${identity.blueprintKey}`,
          entry.key,
          String(generation),
        ];
        const id = derivedId(resource.prefix, salt, parts);
        if (!(await this.streams.latest(resource.kind, orgId, id))) return { id, generation };
      }
      throw new StoreUnavailable(`no id is left for ${entry.key}`);
    });
    return new Map(
      unbound.map(({ resource, entry }, index) => [entryId(resource.type, entry.key), ids[index] as NewId]),
    );
  }

  private async skills(orgId: string, references: readonly Reference[]): Promise<Map<string, AnyRecord>> {
    const ids = [...new Set(references.flatMap(({ id }) => (id === undefined ? [] : [id])))];
    const { kind } = resourceKindOf('skill');
    const found = await BoundedPool.map(ids, lookUpsAtOnce, (id) => this.streams.latest(kind, orgId, id));
    return new Map(
      found.flatMap((latest) =>
        latest && latest.record.deleted_at === null ? [[latest.record.id, latest.record]] : [],
      ),
    );
  }

  /** Skills that other blueprints bind: found by rows of the lists, confirmed by each skill's own stream. */
  private async foreign(
    orgId: string,
    identity: BlueprintIdentity,
    references: readonly Reference[],
  ): Promise<Map<string, AnyRecord[]>> {
    const wanted = new Map(
      references.flatMap(({ blueprint_ref: ref }) => (ref ? [[referredId(ref.namespace ?? null, ref.key), ref]] : [])),
    );
    const resource = resourceKindOf('skill');
    const found = await BoundedPool.map(
      [...wanted],
      lookUpsAtOnce,
      async ([id, { namespace = null, key }]): Promise<[string, AnyRecord[]]> => {
        const rows = await this.bindings.found(orgId, [resource], [bindingWord({ referred: { namespace, key } })]);
        const latest = await BoundedPool.map(rows, lookUpsAtOnce, (row) =>
          this.streams.latest(resource.kind, orgId, row.id),
        );
        const records = latest.flatMap((one) => (one && one.record.deleted_at === null ? [one.record] : []));
        return [
          id,
          records.filter(
            ({ binding }) => binding?.key === key && binding.namespace === namespace && !belongsTo(binding, identity),
          ),
        ];
      },
    );
    return new Map(found);
  }
}
