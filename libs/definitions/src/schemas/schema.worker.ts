import { parentPort } from 'node:worker_threads';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { SchemaAnswer, SchemaQuestion } from './schema.messages.js';

const keptMax = 200;
/** Schemas that one engine compiles: it keeps a little of each for ever. */
const engineSchemasMax = 500;
const compiled = new Map<string, ValidateFunction>();

/** Patterns run in linear time; what needs more than that (look-around, back references) does not compile. */
function linearPattern(pattern: string) {
  const expression = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text: string) => expression.matcher(text).find(), toString: () => `re2:${pattern}` }; // the engine keeps patterns by their text
}
linearPattern.code = 'linearPattern';

let engine = newEngine();
let schemas = 0;

function newEngine(): Ajv2020 {
  const made = new Ajv2020({ strict: false, $data: false, allErrors: false, validateFormats: true, code: { regExp: linearPattern } });
  (addFormats as unknown as (engine: Ajv2020) => void)(made);
  made.compile({ type: 'object' }); // the first one also compiles the meta-schema: not on anybody's budget
  return made;
}

/** The engine forgets each schema at once, so that an `$id` of one never meets another. */
function compile(text: string): ValidateFunction {
  schemas += 1;
  try {
    return engine.compile(JSON.parse(text) as object);
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

function answer(question: SchemaQuestion): SchemaAnswer {
  const { id } = question;
  let validate: ValidateFunction;
  try {
    validate = validatorOf(question);
  } catch (error) {
    return { id, outcome: 'bad_schema', message: error instanceof Error ? error.message.slice(0, 300) : String(error) };
  }
  if (question.value === undefined || validate(JSON.parse(question.value))) return { id, outcome: 'fits' };
  const [first] = validate.errors ?? [];
  return { id, outcome: 'faulty', fault: { path: first?.instancePath ?? '', message: first?.message ?? 'does not fit the schema' } };
}

parentPort?.on('message', (question: SchemaQuestion) => {
  parentPort?.postMessage(answer(question));
  if (schemas < engineSchemasMax) return;
  schemas = 0;
  engine = newEngine();
});
parentPort?.postMessage('ready');
