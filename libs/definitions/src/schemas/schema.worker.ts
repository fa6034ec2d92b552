import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { JsonObject } from '@aos/kernel';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { type SchemaDraft, draftOf, threadKeptBytesMax } from './schema.limits.js';
import type { SchemaAnswer, SchemaFault, SchemaOutcome, SchemaQuestion } from './schema-messages.js';

type Schema = Readonly<Record<string, unknown>>;

/** References that are followed from one form of a union. */
const referencesMax = 10;
const keptMax = 200;
/** Schemas that one engine compiles: it keeps a little of each for ever. */
const engineSchemasMax = 500;
const compiled = new Map<string, ValidateFunction>();

/** Patterns run in linear time; what needs more than that (look-around, back references) does not compile. */
function linearPattern(pattern: string) {
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  // the engine keeps patterns by their text
  return { test: (text: string) => expression.matcher(text).find(), toString: () => `re2:${pattern}` };
}
linearPattern.code = 'linearPattern';

type Engine = Pick<Ajv, 'compile' | 'removeSchema'>;

let engines = newEngines();
let schemas = 0;

function newEngines(): Record<SchemaDraft, Engine> {
  return { 'draft-07': newEngine(Ajv), '2019-09': newEngine(Ajv2019), '2020-12': newEngine(Ajv2020) };
}

function newEngine(Engine: new (options: Options) => Ajv): Engine {
  const made = new Engine({
    strict: false,
    $data: false,
    allErrors: false,
    verbose: true,
    // a schema speaks of a value's members: `constructor` and `toString` of every object are none
    ownProperties: true,
    validateFormats: true,
    code: { regExp: linearPattern },
  });
  addFormats(made);
  made.compile({ type: 'object' }); // the first call also compiles the meta-schema: no caller's budget pays for that
  return made;
}

/** The engine forgets each schema at once, so that an `$id` of one never meets another. */
function compile(text: string): ValidateFunction {
  schemas += 1;
  const schema = JSON.parse(text) as JsonObject;
  if ('$async' in schema) throw new Error('$async is not allowed'); // stored before it was refused
  // one that names another draft was stored before it was refused: the engine says what is wrong with it
  const engine = engines[draftOf(schema) ?? '2020-12'];
  try {
    return engine.compile(schema);
  } finally {
    engine.removeSchema();
  }
}

function validatorOf({ hash, schema }: SchemaQuestion): ValidateFunction {
  const known = compiled.get(hash);
  if (known) {
    compiled.delete(hash);
    compiled.set(hash, known);
    return known;
  }
  const made = compile(schema);
  compiled.set(hash, made);
  const [oldest] = compiled.keys();
  if (compiled.size > keptMax && oldest !== undefined) compiled.delete(oldest);
  return made;
}

function compileFault(error: unknown): string {
  if (error instanceof RangeError) return 'has a reference that leads back to itself alone, or is nested too deep';
  return error instanceof Error ? error.message.slice(0, 300) : String(error);
}

function outcomeOf(question: SchemaQuestion): SchemaOutcome {
  let validate: ValidateFunction;
  try {
    validate = validatorOf(question);
  } catch (error) {
    return { outcome: 'bad_schema', message: compileFault(error) };
  }
  if (question.value === undefined) return { outcome: 'fits' };
  const fits: unknown = validate(JSON.parse(question.value));
  if (typeof fits !== 'boolean') return { outcome: 'broken', message: 'a check gave no boolean' };
  if (fits) return { outcome: 'fits' };
  return {
    outcome: 'faulty',
    fault: meantFault(validate.errors ?? [], JSON.parse(question.schema) as Record<string, unknown>),
  };
}

parentPort?.on('message', (question: SchemaQuestion) => {
  const before = process.threadCpuUsage();
  const outcome = outcomeOf(question);
  const { user, system } = process.threadCpuUsage(before);
  const spentMs = (user + system) / 1000;
  const isFull = getHeapStatistics().used_heap_size > threadKeptBytesMax;
  parentPort?.postMessage({ ...outcome, id: question.id, spentMs, isFull } satisfies SchemaAnswer);
  if (schemas < engineSchemasMax) return;
  schemas = 0;
  engines = newEngines();
});
parentPort?.postMessage('ready');

/**
 * Names what is wrong with a value, in the form that its sender meant (rule G29).
 *
 * Takes    errors of an engine that stops at the first fault and is verbose, in its order: what a union tried stands
 *          before the union's own error, one group for each form. `root`: the schema that was compiled.
 * Gives    of a union the fault of the form whose type or constant members the value has; where that is no single one,
 *          what the union itself says.
 */
export function meantFault(errors: readonly ErrorObject[], root: Schema): SchemaFault {
  const last = errors.length - 1;
  return last < 0 ? { path: '', message: 'does not fit the schema' } : faultAt(errors, last, root);
}

function faultAt(errors: readonly ErrorObject[], at: number, root: Schema): SchemaFault {
  const error = errors[at] as ErrorObject;
  const own = { path: error.instancePath, message: error.message ?? 'does not fit the schema' };
  const groups = groupsOf(errors, at);
  if (!groups) return isUnion(error) || at === 0 ? own : first(errors, at);
  const meant = meantForms(
    formsOf(error).map((form) => resolved(form, root)),
    error.data,
  );
  const [only] = meant;
  if (meant.length === 1 && only !== undefined) return faultAt(errors, groups[only] as number, root);
  return own;
}

/** A keyword that reports after what it tried (`if`, `contains`): what it tried says more. */
function first(errors: readonly ErrorObject[], at: number): SchemaFault {
  const error = errors[at] as ErrorObject;
  const tried = error.keyword === 'if' ? errors[at - 1] : undefined;
  const told = tried ?? error;
  return { path: told.instancePath, message: told.message ?? 'does not fit the schema' };
}

/** Index of the last error of each form that a union tried and that did not fit; null where that is not known. */
function groupsOf(errors: readonly ErrorObject[], at: number): number[] | null {
  const error = errors[at] as ErrorObject;
  if (!isUnion(error) || (error.params as { passingSchemas?: unknown }).passingSchemas) return null;
  const groups: number[] = [];
  let end = at - 1;
  for (let form = formsOf(error).length - 1; form >= 0; form -= 1) {
    if (end < 0) return null;
    groups[form] = end;
    end = startOf(errors, end) - 1;
  }
  return groups;
}

/** Index of the first error of the group that ends here. */
function startOf(errors: readonly ErrorObject[], end: number): number {
  const error = errors[end] as ErrorObject;
  if (error.keyword === 'if' && end > 0) return startOf(errors, end - 1);
  const groups = groupsOf(errors, end);
  return groups ? startOf(errors, groups[0] ?? end) : end;
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf' || keyword === 'anyOf';
}

function formsOf({ schema }: ErrorObject): unknown[] {
  return Array.isArray(schema) ? schema : [];
}

function resolved(form: unknown, root: Schema): Schema {
  let schema = asSchema(form);
  for (let followed = 0; typeof schema['$ref'] === 'string' && followed < referencesMax; followed += 1) {
    const parts = schema['$ref'].startsWith('#/') ? schema['$ref'].slice(2).split('/') : [];
    schema = asSchema(
      parts.reduce<unknown>((node, part) => asSchema(node)[part.replaceAll('~1', '/').replaceAll('~0', '~')], root),
    );
  }
  return schema;
}

function asSchema(node: unknown): Schema {
  return typeof node === 'object' && node !== null ? (node as Schema) : {};
}

/**
 * Forms of the value's type whose constant members it does not contradict; those that it agrees with go before those
 * that name none.
 */
function meantForms(forms: readonly Schema[], value: unknown): number[] {
  const agreed = forms.map((form) => (admits(form['type'], value) ? agreement(form, value) : null));
  const best = Math.max(...agreed.map((count) => count ?? -1));
  return agreed.flatMap((count, index) => (count !== null && count === best ? [index] : []));
}

function admits(type: unknown, value: unknown): boolean {
  if (type === undefined) return true;
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return [type].flat().some((one) => one === own || (one === 'integer' && own === 'number'));
}

/** How many constant members the value has of the form; null when one of its members is another. */
function agreement(form: Schema, value: unknown): number | null {
  const members = asSchema(value);
  let count = 0;
  for (const [name, declared] of Object.entries(asSchema(form['properties']))) {
    const allowed = 'const' in asSchema(declared) ? [asSchema(declared)['const']] : asSchema(declared)['enum'];
    if (!Array.isArray(allowed) || !Object.hasOwn(members, name)) continue;
    if (!allowed.includes(members[name])) return null;
    count += 1;
  }
  return count;
}
