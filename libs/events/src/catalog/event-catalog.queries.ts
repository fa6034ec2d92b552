import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import { ReadStore, type EventFamily } from '@aos/kernel';
import { Contract } from '@aos/platform';
import { typesCollection } from '../feed/feed.projection.js';
import { providerOf } from '../provider-event/provider-event.publisher.js';
import { eventSchemaOf, metaSchemaOf } from './event-schemas.js';
import { families, reservedPrefixes } from '../publishing/families.js';

type Source = Reply<'listCatalogEvents'>['items'][number];

const providerTypesMax = 1000;

/** The live event catalog (rule R39): our own families, and the providers' types that an organization has had. */
@Injectable()
export class EventCatalogQueries {
  private readonly own: Source[];

  constructor(
    private readonly readStore: ReadStore,
    contract: Contract,
  ) {
    const { schemas } = contract.document.components;
    this.own = families.map((family) => sourceOf(family, schemas));
  }

  async list(orgId: string): Promise<Reply<'listCatalogEvents'>> {
    const { rows } = await this.readStore.query({
      collection: typesCollection,
      scope: [orgId],
      limit: providerTypesMax,
    });
    const byProvider = new Map<string, string[]>();
    for (const { key } of rows) byProvider.set(providerOf(key), [...(byProvider.get(providerOf(key)) ?? []), key]);
    const providers = [...byProvider].map(([prefix, names]): Source => ({
      prefix,
      kind: 'integration',
      display_name: prefix,
      readiness: 'ready',
      event_types: names.map((name) => ({ name })),
    }));
    return {
      items: [...this.own, ...providers],
      reserved_prefixes: reservedPrefixes.map((reserved) => ({ ...reserved })),
    };
  }
}

function sourceOf(
  { prefix, displayName, description, types }: EventFamily,
  schemas: Readonly<Record<string, unknown>>,
): Source {
  return {
    prefix,
    kind: 'capability',
    display_name: displayName,
    description,
    readiness: 'ready',
    event_types: types.map((type) => ({
      name: type.name,
      description: type.description,
      event_schema: eventSchemaOf(type, schemas),
      meta_schema: metaSchemaOf(type, schemas),
    })),
  };
}
