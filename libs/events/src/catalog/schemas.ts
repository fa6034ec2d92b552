import type { Json, JsonObject } from '@aos/kernel';

const depthMax = 24;

/**
 * A schema of the contract with its references written out, as plain JSON Schema.
 *
 * A schema that refers to itself says nothing below the second time.
 */
export function wholeSchema(schemas: Readonly<Record<string, unknown>>, name: string): JsonObject {
  return resolved((schemas[name] ?? {}) as Json, schemas, [name], 0) as JsonObject;
}

function resolved(
  value: Json,
  schemas: Readonly<Record<string, unknown>>,
  within: readonly string[],
  depth: number,
): Json {
  if (depth > depthMax) return {};
  if (Array.isArray(value)) return value.map((inner) => resolved(inner, schemas, within, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') {
    const name = value.$ref.slice(value.$ref.lastIndexOf('/') + 1);
    return within.includes(name) ? {} : resolved((schemas[name] ?? {}) as Json, schemas, [...within, name], depth + 1);
  }
  const members = Object.entries(value).filter(([member]) => !member.startsWith('x-') && member !== 'discriminator');
  return Object.fromEntries(members.map(([member, inner]) => [member, resolved(inner, schemas, within, depth + 1)]));
}
