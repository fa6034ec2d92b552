import { Injectable } from '@nestjs/common';
import { collection, notFound, type Identity } from '@aos/kernel';
import { canSee } from '../definition/custody.decide.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import { DefinitionLists, type PageFilter, type WirePage } from '../definition/definition-lists.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims } from '../names/claims.js';
import type { ResourceKind, ResourceTypes } from './resource-kind.js';

@Injectable()
export class DefinitionQueries {
  constructor(
    private readonly lists: DefinitionLists,
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
  ) {}

  list<T extends ResourceTypes>(
    resource: ResourceKind<T>,
    who: Identity,
    filter: PageFilter,
  ): Promise<WirePage<T['wire']>> {
    const asked = new Map(Object.entries(filter) as [string, string | undefined][]);
    const where = Object.entries(resource.filters).flatMap(([member, index]) => {
      const eq = asked.get(member);
      return eq === undefined ? [] : [{ index, eq }];
    });
    const records = collection<DefinitionRecord<T['definition']>>(resource.projection);
    return this.lists.answer({ list: resource.list, collection: records, who, where, filter }, (record) =>
      resource.wire(record, who),
    );
  }

  async get<T extends ResourceTypes>(resource: ResourceKind<T>, who: Identity, ref: string): Promise<T['wire']> {
    return resource.wire(await this.visible(resource, who, ref), who);
  }

  /** The live resource of this id or name within a caller's reach, or 404. */
  async visible<T extends ResourceTypes>(
    { type, kind, knownBy }: ResourceKind<T>,
    who: Identity,
    ref: string,
  ): Promise<DefinitionRecord<T['definition']>> {
    if (knownBy === 'id') return this.streams.visible(kind, who, ref);
    const named = await this.claims.named(kind, who.orgId, ref);
    if (!named || !canSee(named.record, who)) throw notFound(type);
    return named.record;
  }
}
