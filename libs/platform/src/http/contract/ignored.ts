import type { FastifyReply } from 'fastify';
import { wellFormed } from '@aos/kernel';
import type { Contract, Operation, Schema } from './contract.js';
import { pointerPart } from './issues.js';

export const ignoredHeader = 'x-svc-ignored';
/** Rule G8. */
const namedMax = 20;
/** One member name may fill a body: of each, and of all together. */
const nameCharactersMax = 64;
const namedCharactersMax = 4_000;

/**
 * What the contract declares of a value: members of an object, entries of a list, forms that it may have. In place of
 * one, null: nothing is declared, so nothing is ignored.
 */
interface Shape {
  members: ReadonlyMap<string, Shape | null> | null;
  /** Unknown members are refused, not ignored. */
  isClosed: boolean;
  entries: Shape | null;
  forms: readonly Form[];
}

interface Form {
  /** Members that have one value in this form. */
  marks: ReadonlyMap<string, unknown>;
  shape: Shape | null;
}

/** Names what a request has and the contract does not know, where the contract lets it pass (rule G8). */
export class IgnoredMembers {
  private readonly bodies = new Map<string, Shape | null>();
  private readonly queries = new Map<string, ReadonlySet<string>>();

  constructor(private readonly contract: Contract) {}

  /** Gives at most 20 names: pointers into the body and `query.<name>`, percent-encoded. */
  of(operation: Operation, body: unknown, query: Readonly<Record<string, unknown>>): string[] {
    const found = new Names();
    note(this.bodyOf(operation), body, null, found);
    const known = this.queryOf(operation);
    for (const name of Object.keys(query)) if (!known.has(name)) found.add(`query.${encoded(name)}`);
    return found.names;
  }

  private bodyOf(operation: Operation): Shape | null {
    const known = this.bodies.get(operation.operationId);
    if (known !== undefined) return known;
    const shape = this.declared(operation);
    this.bodies.set(operation.operationId, shape);
    return shape;
  }

  private declared({ path, method, body }: Operation): Shape | null {
    if (!body) return { members: new Map(), isClosed: false, entries: null, forms: [] };
    if (body.mediaType !== 'application/json') return null;
    const declared = this.contract.document.paths[path]?.[method.toLowerCase()]?.['requestBody'] as {
      content: Record<string, { schema: Schema }>;
    };
    return this.shapeOf(declared.content[body.mediaType]?.schema ?? {}, []);
  }

  private queryOf({ operationId, parameters }: Operation): ReadonlySet<string> {
    const known =
      this.queries.get(operationId) ??
      new Set(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
    this.queries.set(operationId, known);
    return known;
  }

  /** `around`: references that are being followed; a schema that holds itself is known as a whole. */
  private shapeOf(schema: Schema, around: readonly string[]): Shape | null {
    const reference = schema['$ref'];
    if (typeof reference === 'string')
      return around.includes(reference)
        ? null
        : this.shapeOf(this.contract.schemaAt(reference), [...around, reference]);
    const forms = (['allOf', 'oneOf', 'anyOf'] as const)
      .flatMap((word) => (schema[word] ?? []) as Schema[])
      .map((form) => this.formOf(form, around));
    const properties = schema['properties'] as Record<string, Schema> | undefined;
    const items = schema['items'] as Schema | undefined;
    const entries = items ? this.shapeOf(items, around) : null;
    const isClosed = schema['additionalProperties'] === false;
    if (!properties)
      return entries || forms.some(({ shape }) => shape) ? { members: null, isClosed, entries, forms } : null;
    const members = new Map(Object.entries(properties).map(([name, member]) => [name, this.shapeOf(member, around)]));
    return { members, isClosed, entries, forms };
  }

  private formOf(schema: Schema, around: readonly string[]): Form {
    const reference = schema['$ref'];
    const own = typeof reference === 'string' ? this.contract.schemaAt(reference) : schema;
    const marks = Object.entries((own['properties'] ?? {}) as Record<string, Schema>).flatMap(([name, member]) =>
      'const' in member ? [[name, member['const']] as const] : [],
    );
    return { marks: new Map(marks), shape: this.shapeOf(schema, around) };
  }
}

/** Names fields of a form on the answer, before what its query has (rule G8). */
export function sayIgnored(reply: FastifyReply, fields: readonly string[]): void {
  const found = new Names();
  for (const part of fields) found.add(pointer({ around: null, part }));
  const said = reply.getHeader(ignoredHeader);
  if (typeof said === 'string') for (const name of said.split(', ')) found.add(name);
  if (found.names.length > 0) reply.header(ignoredHeader, found.names.join(', '));
}

class Names {
  readonly names: string[] = [];
  private characters = 0;

  get isFull(): boolean {
    return this.names.length >= namedMax || this.characters >= namedCharactersMax;
  }

  add(name: string): void {
    if (this.isFull) return;
    this.names.push(name);
    this.characters += name.length;
  }
}

/** Where a member or an entry is: written out only for what is named. */
interface Place {
  around: Place | null;
  part: string | number;
}

function pointer({ around, part }: Place): string {
  const own = typeof part === 'number' ? String(part) : encoded(pointerPart(part));
  return `${around ? pointer(around) : ''}/${own}`;
}

function note(shape: Shape | null, value: unknown, around: Place | null, found: Names): void {
  if (!shape || found.isFull || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (shape.entries)
      for (let part = 0; part < value.length; part += 1) note(shape.entries, value[part], { around, part }, found);
    return;
  }
  const forms = meant(shape, value as Record<string, unknown>);
  if (forms.length === 0) return;
  for (const part of Object.keys(value)) {
    if (found.isFull) return;
    const own = declaredBy(forms, part);
    if (own === 'none') found.add(pointer({ around, part }));
    else note(own, (value as Record<string, unknown>)[part], { around, part }, found);
  }
}

/** What forms declare of a member; null: not what is in it, or a closed one refuses it. */
function declaredBy(forms: readonly Shape[], name: string): Shape | null | 'none' {
  let first: Shape | null | 'none' = 'none';
  for (const { members, isClosed } of forms) {
    if (members?.has(name)) {
      const shape = members.get(name) ?? null;
      if (shape === null) return null;
      if (first === 'none' || first === null) first = shape;
    } else if (isClosed && first === 'none') first = null;
  }
  return first;
}

/** The schema itself and those of its forms whose marks the object has, as far as they declare members. */
function meant(shape: Shape, value: Record<string, unknown>): Shape[] {
  const own = shape.members ? [shape] : [];
  for (const { marks, shape: form } of shape.forms) if (form && hasMarks(marks, value)) own.push(...meant(form, value));
  return own;
}

function hasMarks(marks: ReadonlyMap<string, unknown>, value: Record<string, unknown>): boolean {
  for (const [name, mark] of marks) if (value[name] !== mark) return false;
  return true;
}

/** Text for a header: blanks, commas and what is not ASCII are percent-encoded; a long name is cut. */
function encoded(name: string): string {
  return encodeURIComponent(wellFormed(name.slice(0, nameCharactersMax)));
}
