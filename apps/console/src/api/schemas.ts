import { z, type ZodType } from 'zod';

z.config({ jitless: true }); // a compiled validator would need eval, which the page's policy refuses

export interface SchemaFault {
  path: (string | number)[];
  message: string;
}

type Json = Record<string, unknown>;

let definitions: Promise<Json> | null = null;
const compiled = new Map<string, ZodType>();

/** Checks a value by a schema of the contract, such as `SkillRequest`. What only the service knows is left out. */
export async function faultsBySchema(name: string, value: unknown): Promise<SchemaFault[]> {
  const schema = compiled.get(name) ?? (await compile(name));
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => ({ path: path as SchemaFault['path'], message }));
}

async function compile(name: string): Promise<ZodType> {
  definitions ??= readDefinitions().catch((error: unknown) => {
    definitions = null;
    throw error;
  });
  const all = await definitions;
  if (!(name in all)) throw new TypeError(`the contract has no schema ${name}`);
  const schema = z.fromJSONSchema({ $ref: `#/$defs/${name}`, $defs: all } as Parameters<typeof z.fromJSONSchema>[0]);
  compiled.set(name, schema);
  return schema;
}

async function readDefinitions(): Promise<Json> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`the contract was answered with ${response.status}`);
  const text = (await response.text()).replaceAll('#/components/schemas/', '#/$defs/');
  const { components } = JSON.parse(text) as { components: { schemas: Json } };
  return checkable(components.schemas) as Json;
}

/**
 * What zod has no counterpart for goes: `not`, and a choice among branches without a type, such as those that only
 * name what they require. For zod each value fits every one of these. The service refuses what they forbid.
 */
function checkable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(checkable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => !(name === 'not' && typeof inner === 'object') && !(name === 'oneOf' && isOpen(inner)))
      .map(([name, inner]) => [name, checkable(inner)]),
  );
}

function isOpen(branches: unknown): boolean {
  return Array.isArray(branches) && branches.some((branch: Json) => !typed.some((keyword) => keyword in branch));
}

const typed = ['type', '$ref', 'const', 'enum', 'oneOf', 'anyOf', 'allOf'];
