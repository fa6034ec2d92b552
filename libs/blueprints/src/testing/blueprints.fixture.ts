import type { QueryOf } from '@aos/contract';
import {
  collectionOf,
  impliedPermissions,
  rfc3339,
  type Identity,
  type JsonObject,
  type PrincipalKind,
} from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { MemoryBlobs, MemoryEventStore, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import { Decisions, Payloads, WriterProjections, type StreamProjection } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import {
  Claims,
  DefinitionStreams,
  DefinitionWriter,
  newRecord,
  ofLive,
  resourceKindOf,
  resourceKinds,
  team,
  type AnyRecord,
  type DefinitionType,
} from '@aos/definitions/published';
import { resourceServices } from '@aos/definitions/testing';
import { ApplyBlueprint, DeleteBlueprint, SetProtection } from '../apply/apply.commands.js';
import { ApplyBlueprintHandler } from '../apply/apply.handlers.js';
import { BlueprintLocks } from '../apply/blueprint-locks.js';
import { BindingQueries } from '../bindings/bindings.queries.js';
import { CurrentBindings } from '../bindings/current-bindings.js';
import { DeleteBlueprintHandler, SetProtectionHandler } from '../apply/lifecycle.handlers.js';
import type { ApplyBody } from '../plan/request.decide.js';
import { PlanFactsReader } from '../plan/plan-facts.js';
import type { BindingWire } from '../bindings/binding.wire.js';

export const orgId = 'org_00000000000000000000000001';

export function caller(
  kind: PrincipalKind = 'service',
  permission = 'svc.resource.build',
  principalId = `${kind}_1`,
): Identity {
  return {
    orgId,
    principalId,
    kind,
    apiKeyId: null,
    permissions: impliedPermissions([permission]),
    roles: [],
    cap: null,
    requestId: 'req-1',
    ip: null,
  };
}

export const backend = caller();

const projected = resourceKinds.map(({ projection }) => ({
  projection: projection as unknown as StreamProjection<unknown>,
  register: (projections: WriterProjections) => {
    projections.register(projection as unknown as StreamProjection<unknown>);
  },
}));

class FixedSalts extends OrganizationSalts {
  override async of(): Promise<string> {
    return 'salt';
  }
}

export interface World {
  store: MemoryEventStore;
  readStore: MemoryReadStore;
  blobs: MemoryBlobs;
  clock: ManualClock;
  ids: CountingIds;
  bus: MemoryLiveBus;
}

export function newWorld({ replicas = false } = {}): World {
  const clock = new ManualClock();
  return {
    store: new MemoryEventStore({ clock, soleWriter: !replicas }),
    readStore: new MemoryReadStore(),
    blobs: new MemoryBlobs(),
    clock,
    ids: new CountingIds(),
    bus: new MemoryLiveBus({
      clock,
      onTrouble: (error) => {
        throw error;
      },
    }),
  };
}

export interface Result {
  changes: {
    resource_type: string;
    key: string;
    action: string;
    resource_id?: string;
    name: string;
    fields?: string[];
    values?: { field: string; before?: unknown; after?: unknown }[];
  }[];
  bindings: BindingWire[];
}

/** One process of blueprint-service over a world that it may share. */
export class BlueprintsProcess {
  readonly writer: DefinitionWriter;
  readonly streams: DefinitionStreams;
  private readonly parts;

  constructor(readonly world: World) {
    const { store, readStore, blobs, clock, ids, bus } = world;
    const projections = new WriterProjections(readStore);
    for (const { register } of projected) register(projections);
    const payloads = new Payloads(blobs);
    const decisions = new Decisions(store, new MemorySnapshots(), payloads, bus, projections, clock, ids);
    this.streams = new DefinitionStreams(decisions, payloads);
    const claims = new Claims(this.streams, clock, ids);
    this.writer = new DefinitionWriter(this.streams, claims);
    const services = resourceServices({ readStore, streams: this.streams, claims, writer: this.writer, clock, ids });
    const bindings = new CurrentBindings(decisions, this.streams, claims, readStore);
    const facts = new PlanFactsReader(bindings, this.streams, claims, new FixedSalts(decisions));
    const changes = new BlueprintLocks(decisions, store, bus, clock, ids);
    this.parts = {
      decisions,
      bindings,
      changes,
      apply: new ApplyBlueprintHandler(facts, bindings, changes, this.writer, services, clock),
      list: new BindingQueries(bindings),
      protect: new SetProtectionHandler(bindings, changes, this.writer, clock),
      remove: new DeleteBlueprintHandler(bindings, changes, this.writer, services, clock),
    };
  }

  get changes(): BlueprintLocks {
    return this.parts.changes;
  }

  get decisions(): Decisions {
    return this.parts.decisions;
  }

  apply(body: ApplyBody, who: Identity = backend, includesValues = false): Promise<Result> {
    return this.parts.apply.execute(new ApplyBlueprint(who, { body, includesValues })) as unknown as Promise<Result>;
  }

  preview(body: ApplyBody, who: Identity = backend): Promise<Result> {
    return this.apply({ ...body, mode: 'preview' }, who);
  }

  list(filter: QueryOf<'listBlueprintBindings'> = {}): Promise<{ items: BindingWire[] }> {
    return this.parts.list.list(backend, filter) as unknown as Promise<{ items: BindingWire[] }>;
  }

  protect(blueprintKey: string, isProtected: boolean, namespace: string | null = null): Promise<JsonObject> {
    return this.parts.protect.execute(
      new SetProtection(backend, { identity: { namespace, blueprintKey }, isProtected }),
    );
  }

  remove(
    blueprintKey: string,
    { namespace = null, deletesRetained = false }: { namespace?: string | null; deletesRetained?: boolean } = {},
  ) {
    const command = new DeleteBlueprint(backend, { identity: { namespace, blueprintKey }, deletesRetained });
    return this.parts.remove.execute(command) as unknown as Promise<{
      deleted: BindingWire[];
      retained: BindingWire[];
    }>;
  }

  async record(type: DefinitionType, id: string): Promise<AnyRecord | null> {
    return (await this.streams.latest(resourceKindOf(type).kind, orgId, id))?.record ?? null;
  }

  /** A resource that a user made by hand. */
  async made(
    type: DefinitionType,
    name: string,
    { owner = team, visibility = 'organization' }: Partial<Pick<AnyRecord, 'owner' | 'visibility'>> = {},
  ): Promise<string> {
    const { kind, prefix, blueprint } = resourceKindOf(type);
    const id = `${prefix}_${this.world.ids.ulid()}`;
    const stamp = { principalId: backend.principalId, at: rfc3339(this.world.clock.now()) };
    await this.writer.create(
      kind,
      newRecord(
        { id, orgId, type, custody: { owner, visibility, members: [] }, wire: blueprint.blank({ key: '', name }) },
        stamp,
      ),
      backend,
    );
    return id;
  }

  async deleted(type: DefinitionType, id: string): Promise<void> {
    const { kind } = resourceKindOf(type);
    const remove = ofLive((deletedAt: string, record: AnyRecord) => [
      kind.deleted({ ...record, version: record.version + 1, deleted_at: deletedAt }),
    ]);
    await this.writer.decide({ kind, decide: remove }, backend, id, rfc3339(this.world.clock.now()));
  }

  /**
   * All live resources of the organization in one comparable value: names in place of ids, no times and no versions.
   */
  async graph(): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    const names = new Map<string, string>();
    const records: AnyRecord[] = [];
    for (const { projection, kind } of resourceKinds) {
      const { rows } = await this.world.readStore.query({
        collection: collectionOf(projection),
        scope: [orgId],
        limit: 1000,
      });
      for (const { key } of rows) {
        const latest = await this.streams.latest(kind, orgId, key);
        if (latest?.record.deleted_at === null) records.push(latest.record);
      }
    }
    for (const { id, wire } of records) names.set(id, wire.name);
    for (const { type, binding, protected: isProtected, owner, visibility, wire } of records) {
      const { skill_ids: skillIds, signing: _drawn, ...fields } = wire as JsonObject & { skill_ids?: string[] };
      all.push({
        type,
        binding: binding && { ...binding },
        protected: isProtected,
        owner: { ...owner },
        visibility,
        fields: fields as JsonObject,
        skills: (skillIds ?? []).map((id) => names.get(id) ?? `gone ${id}`),
      });
    }
    return all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  /** Brings the lists' rows up to the log's end, as the projectors do after a start. */
  async caughtUp(): Promise<this> {
    const { store, readStore } = this.world;
    for (const { projection } of projected) {
      const streams = new Set<string>();
      await new Promise<void>((resolve, reject) => {
        const subscription = store.subscribe(
          {
            name: 'catch up',
            prefixes: [`${projection.kind.category}-`],
            from: 'start',
            onCaughtUp: () => {
              subscription.close().then(resolve, reject);
            },
          },
          async (events) => {
            for (const { stream } of events) streams.add(stream);
          },
        );
      });
      for (const stream of streams) {
        const id = stream.slice(projection.kind.category.length + 1);
        const { state, revision } = await this.decisions.load(projection.kind as never, id);
        await readStore.put(projection.rows({ state, id, revision }));
      }
    }
    return this;
  }

  /** All events of the log so far, for counting. */
  async eventCount(): Promise<number> {
    return Number((await this.world.store.end()) || '0');
  }
}

/**
 * Makes the process die at the append with this number (from 0), counted from now on; `written` says whether that
 * append is still written.
 */
export function dieAtAppend(world: World, at: number, written: boolean): () => number {
  let count = 0;
  let isDead = false;
  const death = () => {
    isDead = true;
    throw new Error('the process died');
  };
  world.store.faults = {
    beforeAppend: () => {
      if (isDead) death();
      count += 1;
      if (count - 1 === at && !written) death();
    },
    afterAppend: () => {
      if (count - 1 === at && written) death();
    },
  };
  return () => count;
}
