import { contract } from '../contract.js';

/** Makes the choices that a schema leaves open. */
export interface Draw {
  /** Whether an optional member is sent. */
  member(name: string, depth: number): boolean;
  /** Which of so many branches or listed values. */
  branch(count: number): number;
  /** How many items, between the bounds. */
  items(min: number, max: number): number;
  whole(min: number, max: number): number;
  /** Free text for a member of this name, at most so long; undefined leaves it to the schema. */
  text(name: string, max: number): string;
  /** A value for a member that names something (`agent_id`, `visibility`); null when the schema alone decides. */
  known(name: string): unknown;
  /** A value where the schema takes anything. */
  anything(name: string): unknown;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
}

const depthMax = 8;
const textMax = 60;
const patterned = ['event', 'x1', 'x.event', 'x.resource.made'];
const schemas = (contract.components as unknown as { schemas: Record<string, Schema> }).schemas;

export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema;
  const found = schemas[name];
  if (!found) throw new Error(`the contract has no schema ${name}`);
  return { ...resolved(found), ...schema, $ref: undefined };
}

/** A value that fits the schema as far as its shape goes, with what it leaves open chosen by `draw`. */
export function valueOf(schema: Schema, draw: Draw, name = '', depth = 0): unknown {
  const known = depth > 0 ? draw.known(name) : null;
  if (known !== null) return known;
  const whole = resolved(schema);
  if (whole.const !== undefined) return whole.const;
  if (whole.enum) return whole.enum[draw.branch(whole.enum.length)];
  if (whole.allOf)
    return valueOf(whole.allOf.map(resolved).reduce(joined, { ...whole, allOf: undefined }), draw, name, depth);
  const branches = (whole.oneOf ?? whole.anyOf)?.filter((branch) => branch.type !== 'null');
  if (branches && branches.length > 0) {
    const branch = resolved(branches[draw.branch(branches.length)] ?? {});
    return valueOf(joined({ ...whole, oneOf: undefined, anyOf: undefined }, branch), draw, name, depth);
  }
  const types = (Array.isArray(whole.type) ? whole.type : [whole.type]).filter((type) => type !== 'null');
  switch (types[draw.branch(types.length)]) {
    case 'object':
      return objectOf(whole, draw, name, depth);
    case 'array':
      return depth > depthMax
        ? []
        : Array.from({ length: draw.items(whole.minItems ?? 0, whole.maxItems ?? 3) }, () =>
            valueOf(whole.items ?? {}, draw, name, depth + 1),
          );
    case 'string':
      return textOf(whole, draw, name);
    case 'integer':
    case 'number':
      return draw.whole(whole.minimum ?? 0, whole.maximum ?? 1000);
    case 'boolean':
      return draw.branch(2) === 1;
    default:
      return whole.properties ? objectOf(whole, draw, name, depth) : draw.anything(name);
  }
}

function objectOf(schema: Schema, draw: Draw, name: string, depth: number): unknown {
  const made: Record<string, unknown> = {};
  const properties = Object.entries(schema.properties ?? {});
  for (const [member, value] of properties) {
    const isForbidden = schema.not?.required?.every((other) => other === member || other in made) ?? false;
    if (
      isForbidden ||
      (!(schema.required?.includes(member) ?? false) && (depth > depthMax || !draw.member(member, depth)))
    )
      continue;
    made[member] = valueOf(value, draw, member, depth + 1);
  }
  if (typeof schema.additionalProperties === 'object' && draw.member(`${name}.*`, depth))
    made[draw.text(name, 20)] = valueOf(schema.additionalProperties, draw, name, depth + 1);
  else if (properties.length === 0 && schema.additionalProperties !== false) return draw.anything(name);
  const [first] = properties;
  if (first && Object.keys(made).length < (schema.minProperties ?? 0))
    made[first[0]] = valueOf(first[1], draw, first[0], depth + 1);
  return made;
}

function textOf({ pattern, format, minLength = 0, maxLength = textMax }: Schema, draw: Draw, name: string): string {
  const text = draw.text(name, Math.min(maxLength, textMax));
  if (format === 'uri') return `https://example.invalid/${encodeURIComponent(Buffer.from(text).toString())}`;
  if (format === 'email') return `${text.replaceAll(/[^A-Za-z0-9]/g, '') || 'x'}@example.com`;
  if (format === 'date-time') return '2120-01-01T00:00:00Z';
  if (pattern !== undefined) {
    const plain = text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')
      .replace(/^[0-9]*/, 'x')
      .slice(0, maxLength);
    return [text, plain, ...patterned].find((candidate) => new RegExp(pattern, 'u').test(candidate)) ?? plain;
  }
  return text.length >= minLength ? text : text.padEnd(minLength, 'x');
}

function joined(left: Schema, right: Schema): Schema {
  return {
    ...left,
    ...right,
    properties: left.properties || right.properties ? { ...left.properties, ...right.properties } : undefined,
    required: [...(left.required ?? []), ...(right.required ?? [])],
  };
}
