import type { Json, JsonObject } from '@aos/kernel';

const prefix = '#/components/schemas/';

/**
 * A schema of the contract that stands alone: what it refers to comes along, the contract's own annotations do not.
 *
 * Takes    the contract's schemas by name, the name, and members that are left out.
 */
export function ownSchema(
  schemas: Readonly<Record<string, unknown>>,
  name: string,
  without: readonly string[] = [],
): JsonObject {
  const needed = new Map<string, JsonObject>();
  const copied = (node: unknown): Json => {
    if (Array.isArray(node)) return node.map(copied);
    if (typeof node !== 'object' || node === null) return node as Json;
    const copy: JsonObject = {};
    for (const [member, value] of Object.entries(node)) {
      if (member === '$ref' && typeof value === 'string' && value.startsWith(prefix))
        copy.$ref = `#/$defs/${include(value.slice(prefix.length))}`;
      else if (!member.startsWith('x-') && member !== 'deprecated') copy[member] = copied(value);
    }
    return copy;
  };
  const include = (wanted: string): string => {
    if (needed.has(wanted)) return wanted;
    needed.set(wanted, {}); // a schema may refer to itself
    needed.set(wanted, copied(named(schemas, wanted)) as JsonObject);
    return wanted;
  };
  const source = named(schemas, name) as JsonObject;
  const properties = Object.fromEntries(
    Object.entries(source.properties as JsonObject).filter(([member]) => !without.includes(member)),
  );
  const root = copied({ ...source, properties, additionalProperties: false }) as JsonObject;
  return needed.size === 0 ? root : { ...root, $defs: Object.fromEntries(needed) };
}

function named(schemas: Readonly<Record<string, unknown>>, name: string): unknown {
  const found = schemas[name];
  if (found === undefined) throw new Error(`the contract has no schema ${name}`);
  return found;
}
