import Ajv2020 from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { badRequest, invalidArgument, momentOf, notFound } from '@aos/kernel';
import type { Issue, Refusal } from '@aos/kernel';
import type { Contract, ContractParameter, Operation, Schema } from './contract.js';
import { issuesOf } from './issues.js';

/** Of bodies up to this size every fault is given; of larger ones the first. */
const explainedBytesMax = 64 * 1024;
const pathParameterLengthMax = 256;

interface Compiled {
  body: ValidateFunction | null;
  query: ValidateFunction | null;
  path: ValidateFunction | null;
}

export type QueryValues = Record<string, string | number | boolean | string[] | undefined>;

/**
 * Checks requests against the contract's own schemas; each operation is compiled when it is first met.
 * Source: rules G2, G8, G15.
 */
export class Validators {
  private readonly document: Readonly<Record<string, Schema>>;
  private quickOne: Ajv2020 | null = null;
  private thoroughOne: Ajv2020 | null = null;
  private readonly compiled = new Map<string, Compiled>();
  private readonly explaining = new Map<string, ValidateFunction>();

  private readonly forms = new Map<string, ValidateFunction>();
  private static readonly shared = new WeakMap<Contract, Validators>();

  /** The one of a contract: it holds a copy of the document. */
  static of(contract: Contract): Validators {
    const known = this.shared.get(contract) ?? new Validators(contract);
    this.shared.set(contract, known);
    return known;
  }

  constructor(contract: Contract) {
    const components = withoutMappings(contract.document.components) as Schema;
    const paths = withoutMappings(contract.document.paths) as Schema;
    this.document = { components, paths };
  }

  /** Stops at the first fault: what every request costs. */
  private get quick(): Ajv2020 {
    this.quickOne ??= validator(this.document, false);
    return this.quickOne;
  }

  /** Goes on to find all faults of a small body. */
  private get thorough(): Ajv2020 {
    this.thoroughOne ??= validator(this.document, true);
    return this.thoroughOne;
  }

  /** Compiles an operation now, so that a schema that cannot be compiled fails at the start. */
  prepare(operation: Operation): void {
    this.of(operation);
  }

  /**
   * Takes    the parsed body, undefined when the request had none; its size decides how much is explained.
   * Refuses  `bad_request` with issues.
   */
  checkBody(operation: Operation, body: unknown, bodyBytes: number): void {
    if (!operation.body || operation.body.mediaType !== 'application/json') return;
    if (body === undefined) {
      if (operation.body.required) throw badRequest([{ path: '', message: 'a JSON body is required' }]);
      return;
    }
    const check = this.of(operation).body;
    if (!check || check(body)) return;
    const issues = this.explain(operation, body, bodyBytes, check.errors ?? []);
    throw notAllowedHere(body, issues) ?? badRequest(issues);
  }

  /**
   * Checks a part of a body that the body's own schema leaves open.
   *
   * Takes    the name of a schema of the contract, and the pointer of the value in the body.
   * Refuses  as `checkBody`, with the first fault.
   */
  checkPart(schema: string, value: unknown, pointer: string): void {
    const check = this.forms.get(schema) ?? this.quick.compile({ $ref: `${documentId}#/components/schemas/${schema}` });
    this.forms.set(schema, check);
    if (check(value)) return;
    const issues = issuesOf(check.errors ?? []);
    throw (
      notAllowedHere(value, issues) ??
      badRequest(issues.map(({ path, message }) => ({ path: pointer + path, message })))
    );
  }

  /**
   * Takes    the query as it was parsed: text, or a list for a repeated name.
   * Gives    the values of the operation's parameters as numbers, booleans and lists, defaults filled in; unknown names
   *          are left out.
   * Refuses  `bad_request` with `query.<name>` paths, where the operation answers 400; else like an unknown path.
   */
  checkQuery(operation: Operation, given: Readonly<Record<string, string | string[] | undefined>>): QueryValues {
    const issues: Issue[] = [];
    const values: QueryValues = {};
    for (const parameter of operation.parameters) {
      if (parameter.in !== 'query') continue;
      const text = Object.hasOwn(given, parameter.name) ? given[parameter.name] : undefined;
      const value =
        text === undefined
          ? (this.resolved(parameter.schema)['default'] as QueryValues[string])
          : this.coerced(parameter, text, issues);
      if (value !== undefined) values[parameter.name] = value;
    }
    if (issues.length === 0) {
      const check = this.of(operation).query;
      if (!check || check(values)) return values;
      for (const { path, message } of issuesOf(check.errors ?? []))
        issues.push({ path: `query.${path.slice(1).replace(/\/.*$/, '')}`, message });
    }
    throw operation.listsBadRequest ? badRequest(issues) : notFound();
  }

  /**
   * Refuses a value that the contract's form excludes with its reason, where the operation answers 400; else, and an id
   * too long or with control characters, like an unknown one.
   */
  checkPath(operation: Operation, params: Readonly<Record<string, string>>): void {
    const check = this.of(operation).path;
    if (check && !check(params)) {
      if (!operation.listsBadRequest) throw notFound();
      throw badRequest(
        issuesOf(check.errors ?? []).map(({ path, message }) => ({ path: `path.${path.slice(1)}`, message })),
      );
    }
    for (const value of Object.values(params)) {
      if (value === '' || value.length > pathParameterLengthMax || hasControlCharacter(value)) throw notFound();
    }
  }

  private explain(operation: Operation, body: unknown, bodyBytes: number, first: ErrorObject[]): Issue[] {
    if (bodyBytes > explainedBytesMax) return issuesOf(first);
    let check = this.explaining.get(operation.operationId);
    if (!check) {
      check = this.thorough.compile({ $ref: bodyPointer(operation) });
      this.explaining.set(operation.operationId, check);
    }
    check(body);
    const issues = issuesOf(check.errors ?? []);
    return issues.length > 0 ? issues : issuesOf(first);
  }

  private of(operation: Operation): Compiled {
    const known = this.compiled.get(operation.operationId);
    if (known) return known;
    const made = {
      body:
        operation.body?.mediaType === 'application/json' ? this.quick.compile({ $ref: bodyPointer(operation) }) : null,
      query: this.compileParameters(operation, 'query', () => true),
      path: this.compileParameters(operation, 'path', ({ schema }) =>
        Object.keys(schema).some((keyword) => keyword !== 'type' && !keyword.startsWith('x-')),
      ),
    };
    this.compiled.set(operation.operationId, made);
    return made;
  }

  private compileParameters(
    operation: Operation,
    location: 'query' | 'path',
    isChecked: (parameter: ContractParameter) => boolean,
  ): ValidateFunction | null {
    const parameters = operation.parameters.filter((parameter) => parameter.in === location && isChecked(parameter));
    if (parameters.length === 0) return null;
    return this.thorough.compile({
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, absoluteReferences(schema)])),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
    });
  }

  /** Follows the one reference that a parameter's schema may be. */
  private resolved(schema: Schema): Schema {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return schema;
    return (this.quick.getSchema(`${documentId}${reference}`)?.schema ?? schema) as Schema;
  }

  private coerced(parameter: ContractParameter, given: string | string[], issues: Issue[]): QueryValues[string] {
    const { type } = this.resolved(parameter.schema);
    if (type === 'array') return typeof given === 'string' ? [given] : given;
    const refuse = (message: string): undefined => {
      issues.push({ path: `query.${parameter.name}`, message });
      return undefined;
    };
    if (typeof given !== 'string') return refuse('is given more than once');
    if (type === 'integer' || type === 'number')
      return /^-?\d{1,15}$/.test(given) ? Number(given) : refuse('must be a whole number');
    if (type === 'boolean')
      return given === 'true' || given === 'false' ? given === 'true' : refuse('must be true or false');
    return given;
  }
}

const documentId = 'contract:';

function bodyPointer({ path, method }: Operation): string {
  const part = encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
  return `${documentId}#/paths/${part}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;
}

const dateTime = addFormats.get('date-time') as { validate: (text: string) => boolean };
/** RFC 3339 that names a moment which can be answered again (rule G6). */
const isTime = (text: string): boolean => dateTime.validate(text) && momentOf(text) !== null;

function validator(document: Readonly<Record<string, Schema>>, allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    discriminator: true,
    validateSchema: false,
    allErrors,
    verbose: true,
    logger: false,
    messages: true,
  }); // verbose: a union's error shows its forms
  addFormats(ajv, { formats: ['date-time', 'uri', 'email'] });
  ajv.addFormat('date-time', isTime);
  ajv.addFormat('int64', { type: 'number', validate: (value: number) => Number.isSafeInteger(value) });
  ajv.addSchema({ $id: documentId, ...document });
  return ajv;
}

/** Values that other services of this kind take and this one names when it refuses them (rule S35). */
const refusedValues = [{ path: /\/source\/type$/, values: ['artifact', 'file'], argument: 'source.type' }];

function notAllowedHere(body: unknown, issues: readonly Issue[]): Refusal | null {
  const [issue, ...others] = issues;
  if (!issue || others.length > 0) return null;
  const value = issue.path
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (node, part) =>
        typeof node === 'object' && node !== null
          ? (node as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
          : undefined,
      body,
    );
  const known = refusedValues.find(({ path, values }) => path.test(issue.path) && values.includes(String(value)));
  return known ? invalidArgument(known.argument, `${String(value)} is not resolved here`) : null;
}

/**
 * The validator tells branches apart by their constants; it takes no mapping, and looks at objects only, so that what
 * is no object must be refused apart. `x-values` beside a reference are those of its values that it has there.
 */
function withoutMappings(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutMappings);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(node)) {
    const isDiscriminator =
      member === 'discriminator' && typeof value === 'object' && value !== null && 'mapping' in value;
    if (isDiscriminator && !('type' in node)) copy['type'] = 'object';
    copy[member] = isDiscriminator
      ? { propertyName: (value as { propertyName?: unknown }).propertyName }
      : withoutMappings(value);
    if (member === 'x-values') copy['enum'] = value;
  }
  return copy;
}

function absoluteReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absoluteReferences);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([member, value]) => [
      member,
      member === '$ref' && typeof value === 'string' ? `${documentId}${value}` : absoluteReferences(value),
    ]),
  );
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
