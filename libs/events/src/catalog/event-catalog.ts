import { Injectable } from '@nestjs/common';
import { ReadStore, type JsonObject } from '@aos/kernel';
import { Contract } from '@aos/platform';
import { typesCollection } from '../feed/feed.projection.js';
import { providerOf } from '../inbound/provider-event.publisher.js';
import { families, reservedPrefixes, type Family, type FamilyType } from './families.js';
import { wholeSchema } from './schemas.js';

const providerTypesMax = 1000;
const commonMeta = ['event_type', 'id', 'source_kind', 'source_id', 'occurred_at', 'received_at'];

/** The live event catalog (decision R39): our own families, and the providers' types that an organization has had. */
@Injectable()
export class EventCatalog {
  private readonly own: JsonObject[];

  constructor(private readonly readStore: ReadStore, contract: Contract) {
    const { schemas } = contract.document.components;
    const meta = wholeSchema(schemas, 'SourceEventMeta');
    this.own = families.map((family) => sourceOf(family, schemas, meta));
  }

  async of(orgId: string): Promise<JsonObject> {
    const { rows } = await this.readStore.query({ collection: typesCollection, scope: [orgId], limit: providerTypesMax });
    const byProvider = new Map<string, string[]>();
    for (const { key } of rows) byProvider.set(providerOf(key), [...(byProvider.get(providerOf(key)) ?? []), key]);
    const providers = [...byProvider].map(([prefix, names]): JsonObject => ({
      prefix, kind: 'integration', display_name: prefix, readiness: 'ready', event_types: names.map((name) => ({ name })),
    }));
    return { items: [...this.own, ...providers], reserved_prefixes: reservedPrefixes.map((reserved) => ({ ...reserved })) };
  }
}

function sourceOf({ prefix, displayName, description, types }: Family, schemas: Readonly<Record<string, unknown>>, meta: JsonObject): JsonObject {
  return {
    prefix, kind: 'capability', display_name: displayName, description, readiness: 'ready',
    event_types: types.map((type) => ({ name: type.name, description: type.description, event_schema: wholeSchema(schemas, type.schema), meta_schema: metaOf(type, meta) })),
  };
}

function metaOf({ routing }: FamilyType, meta: JsonObject): JsonObject {
  const all = meta.properties as JsonObject;
  const properties = Object.fromEntries([...commonMeta, ...routing, 'truncated'].map((name) => [name, all[name] ?? {}]));
  return { type: 'object', required: [...commonMeta, ...routing], properties, additionalProperties: true };
}
