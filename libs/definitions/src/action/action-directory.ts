import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@aos/kernel';
import { SealBroken, Sealer } from '@aos/platform';
import { DefinitionLists } from '../definition/definition-lists.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims } from '../names/claims.js';
import { SchemaChecker, type SchemaFault } from '../schemas/schema-checker.js';
import { ActionCatalog, type ActionSource } from '../grants/action-catalog.js';
import type { CatalogAction } from '../grants/catalog-action.wire.js';
import { actionRecords, catalogEntryOf } from './action.projection.js';
import { actionKind, secretOwner, type ActionRecord } from './action.state.js';

export interface SigningSecret {
  version: number;
  /** `whsec_...`: for a signature in this process only; never to be stored, logged or shown. */
  secret: string;
}

/** An action as it is dispatched: its newest record and what it is signed with. */
export interface DispatchedAction {
  record: ActionRecord;
  /** Null for worker actions. */
  signing: SigningSecret | null;
  /** The previous secret, while receivers still accept it. */
  previous: SigningSecret | null;
}

/** Custom actions, read fresh from their streams; also the catalog's source of them. */
@Injectable()
export class ActionDirectory implements ActionSource, OnModuleInit {
  readonly name = 'custom';

  constructor(
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
    private readonly lists: DefinitionLists,
    private readonly catalog: ActionCatalog,
    private readonly sealer: Sealer,
    private readonly schemas: SchemaChecker,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.catalog.register(this);
  }

  /** The live action of this name; null when there is none. */
  async record(orgId: string, name: string): Promise<ActionRecord | null> {
    return (await this.claims.named(actionKind, orgId, name))?.record ?? null;
  }

  /** By id, deleted ones too. */
  async recordById(orgId: string, actionId: string): Promise<ActionRecord | null> {
    return (await this.streams.latest(actionKind, orgId, actionId))?.record ?? null;
  }

  /** The live action of this name with its secrets opened. Throws `SealBroken` when the master key is gone. */
  async dispatched(orgId: string, name: string): Promise<DispatchedAction | null> {
    const record = await this.record(orgId, name);
    if (!record) return null;
    const { signing } = record.wire;
    if (!signing) return { record, signing: null, previous: null };
    const opened = ({ version, sealed }: { version: number; sealed: string }): SigningSecret => ({
      version,
      secret: this.sealer.open(sealed, secretOwner(orgId, record.id, version)),
    });
    return { record, signing: opened(signing), previous: this.overlapping(signing.previous, opened) };
  }

  /**
   * The previous secret, while receivers may still accept it. Null when it cannot be opened any more; no call is then
   * signed with it.
   */
  private overlapping(
    previous: { version: number; sealed: string; valid_until: string } | null,
    opened: (secret: { version: number; sealed: string }) => SigningSecret,
  ): SigningSecret | null {
    if (previous === null || Date.parse(previous.valid_until) <= this.clock.now()) return null;
    try {
      return opened(previous);
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }

  /** What is wrong with an input by the action's schema; null when it fits, or when there is no schema. */
  async inputFault(record: ActionRecord, input: unknown): Promise<SchemaFault | null> {
    return record.wire.input_schema
      ? this.schemas.fault(record.wire.input_schema, input, { orgId: record.org_id })
      : null;
  }

  /** As `inputFault`, for what the action gave back. */
  async outputFault(record: ActionRecord, output: unknown): Promise<SchemaFault | null> {
    return record.wire.output_schema
      ? this.schemas.fault(record.wire.output_schema, output, { orgId: record.org_id })
      : null;
  }

  async actions(orgId: string): Promise<CatalogAction[]> {
    const found: CatalogAction[] = [];
    for await (const record of this.lists.all(actionRecords, orgId, [])) {
      found.push(catalogEntryOf(await this.streams.hydrate(orgId, record)));
    }
    return found;
  }

  async action(orgId: string, name: string): Promise<CatalogAction | null> {
    const record = await this.record(orgId, name);
    return record ? catalogEntryOf(record) : null;
  }
}
