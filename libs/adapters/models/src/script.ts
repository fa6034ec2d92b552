import { isJsonObject, type Json, type JsonObject, type ModelUsage } from '@aos/kernel';

export interface ScriptedCall {
  name: string;
  input: JsonObject;
}

/** One thing the scripted model does. */
export type ScriptStep =
  | { kind: 'think'; text: string }
  | { kind: 'say'; text: string }
  | { kind: 'repeat_say'; text: string; times: number }
  | { kind: 'calls'; calls: ScriptedCall[] }
  | { kind: 'wait'; ms: number }
  | { kind: 'error'; type: string; message: string }
  | { kind: 'usage'; usage: Partial<ModelUsage> }
  | { kind: 'read'; what: string };

const stepsMax = 10_000;
const repeatsMax = 200_000;
const waitMsMax = 24 * 3600 * 1000;
const usageCounters: readonly (keyof ModelUsage)[] = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'reasoning_tokens',
];

/** A script that cannot be played; the message names the step. */
export class ScriptFault extends Error {}

/**
 * Reads a script from the text of a user row.
 *
 * Gives    its steps, or null when the text is no JSON object with a `script` list: then it is ordinary text.
 * Refuses  `ScriptFault` for a script with a step that is none.
 */
export function parseScript(text: string): ScriptStep[] | null {
  if (!text.trimStart().startsWith('{')) return null;
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch {
    return null; // not JSON, so not a script
  }
  const script = isJsonObject(parsed) ? parsed['script'] : undefined;
  if (!Array.isArray(script)) return null;
  if (script.length > stepsMax) throw new ScriptFault(`a script has at most ${stepsMax} steps`);
  return script.map((step, index) => parseStep(step, `script[${index}]`));
}

/** The steps of one model call: up to and including a call, or the end. Null when the calls before played all of it. */
export function stepsOfCall(steps: readonly ScriptStep[], callIndex: number): ScriptStep[] | null {
  const endOf = (start: number) => {
    const found = steps.findIndex((step, index) => index >= start && step.kind === 'calls');
    return found < 0 ? steps.length : found + 1;
  };
  let from = 0;
  for (let call = 0; call < callIndex; call += 1) {
    from = endOf(from);
    if (from >= steps.length) return null;
  }
  return steps.slice(from, endOf(from));
}

function parseStep(step: Json, at: string): ScriptStep {
  if (!isJsonObject(step)) throw new ScriptFault(`${at} is not an object`);
  const names = Object.keys(step);
  const name = names[0];
  if (name === undefined || names.length !== 1) throw new ScriptFault(`${at} has not exactly one member`);
  const value = step[name];
  const path = `${at}.${name}`;
  switch (name) {
    case 'think':
      return { kind: 'think', text: text(value, path) };
    case 'say':
      return { kind: 'say', text: text(value, path) };
    case 'read':
      return { kind: 'read', what: readable(text(value, path), path) };
    case 'wait_ms':
      return { kind: 'wait', ms: count(value, waitMsMax, path) };
    case 'call':
      return { kind: 'calls', calls: [call(value, path)] };
    case 'calls':
      return { kind: 'calls', calls: list(value, path).map((one, index) => call(one, `${path}[${index}]`)) };
    case 'repeat_say': {
      const { text: said, times } = object(value, path);
      return { kind: 'repeat_say', text: text(said, `${path}.text`), times: count(times, repeatsMax, `${path}.times`) };
    }
    case 'error': {
      const { type, message } = object(value, path);
      return {
        kind: 'error',
        type: type === undefined ? 'model_error' : text(type, `${path}.type`),
        message: message === undefined ? 'scripted error' : text(message, `${path}.message`),
      };
    }
    case 'usage':
      return { kind: 'usage', usage: usage(object(value, path), path) };
    default:
      throw new ScriptFault(`${path} is no step`);
  }
}

function call(value: Json | undefined, path: string): ScriptedCall {
  const { name, input } = object(value, path);
  return { name: text(name, `${path}.name`), input: input === undefined ? {} : object(input, `${path}.input`) };
}

function usage(counters: JsonObject, path: string): Partial<ModelUsage> {
  const given: Partial<ModelUsage> = {};
  for (const [name, value] of Object.entries(counters)) {
    const counter = usageCounters.find((known) => known === name);
    if (!counter) throw new ScriptFault(`${path}.${name} is no counter`);
    given[counter] = count(value, Number.MAX_SAFE_INTEGER, `${path}.${name}`);
  }
  return given;
}

function readable(what: string, path: string): string {
  if (what !== 'last_tool_result' && what !== 'last_user' && !what.startsWith('context:'))
    throw new ScriptFault(`${path} names nothing to read`);
  return what;
}

function object(value: Json | undefined, path: string): JsonObject {
  if (!isJsonObject(value)) throw new ScriptFault(`${path} is not an object`);
  return value;
}

function list(value: Json | undefined, path: string): Json[] {
  if (!Array.isArray(value) || value.length === 0) throw new ScriptFault(`${path} is not a list with something in it`);
  return value;
}

function text(value: Json | undefined, path: string): string {
  if (typeof value !== 'string') throw new ScriptFault(`${path} is not text`);
  return value;
}

function count(value: Json | undefined, max: number, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw new ScriptFault(`${path} is not a whole number from 0 to ${max}`);
  return value;
}
