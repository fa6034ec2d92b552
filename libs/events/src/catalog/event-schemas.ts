import type { EventFamilyType, JsonObject } from '@aos/kernel';
import { families } from '../publishing/families.js';
import { wholeSchema } from './schemas.js';

type Schemas = Readonly<Record<string, unknown>>;

const commonMeta = ['event_type', 'id', 'source_kind', 'source_id', 'occurred_at', 'received_at'];
const providerType = '^[a-z][a-z0-9_]*\\.(event|[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*)$';

/** The schema of `event` of a type of ours. */
export function eventSchemaOf({ schema }: EventFamilyType, schemas: Schemas): JsonObject {
  return wholeSchema(schemas, schema);
}

/** The schema of `meta` of a type of ours: what every event has, and its own routing fields. */
export function metaSchemaOf({ routing }: EventFamilyType, schemas: Schemas): JsonObject {
  return metaWith(routing, schemas);
}

function metaWith(routing: readonly string[], schemas: Schemas): JsonObject {
  const all = wholeSchema(schemas, 'SourceEventMeta').properties as JsonObject;
  const properties = Object.fromEntries(
    [...commonMeta, ...routing, 'truncated'].map((name) => [name, all[name] ?? {}]),
  );
  return { type: 'object', required: [...commonMeta, ...routing], properties, additionalProperties: true };
}

/**
 * The files of `contract/events`: one JSON Schema of the whole envelope for each event of ours, and one for what
 * providers send.
 *
 * Takes    the contract's schemas.
 * Gives    file name -> schema, with no references to anything outside it.
 */
export function envelopeSchemas(schemas: Schemas): Map<string, JsonObject> {
  const files = new Map<string, JsonObject>();
  for (const type of families.flatMap(({ types }) => types)) {
    files.set(
      `${type.name}.json`,
      envelopeSchema({
        name: type.name,
        description: type.description,
        eventType: { const: type.name },
        sourceKind: type.sourceKind,
        event: eventSchemaOf(type, schemas),
        meta: metaSchemaOf(type, schemas),
      }),
    );
  }
  files.set(
    'integration.json',
    envelopeSchema({
      name: 'integration',
      description: 'An event of a connected provider, as its bridge handed it over.',
      eventType: { type: 'string', pattern: providerType },
      sourceKind: 'integration',
      event: { type: 'object', additionalProperties: true },
      meta: metaWith(['provider', 'integration_id'], schemas),
    }),
  );
  return files;
}

function envelopeSchema({
  name,
  description,
  eventType,
  sourceKind,
  event,
  meta,
}: {
  name: string;
  description: string;
  eventType: JsonObject;
  sourceKind: string;
  event: JsonObject;
  meta: JsonObject;
}): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${name}.json`,
    title: name,
    description,
    type: 'object',
    required: ['event_type', 'source_kind', 'source_id', 'event', 'meta'],
    properties: {
      event_type: eventType,
      source_kind: { const: sourceKind },
      source_id: { type: 'string', minLength: 1 },
      event,
      meta,
    },
    additionalProperties: false,
  };
}

/** A schema as its file holds it. */
export function schemaText(schema: JsonObject): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
