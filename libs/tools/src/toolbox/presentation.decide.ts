import { firstCharacters, type JsonObject, type ModelTool } from '@aos/kernel';
import type { CatalogAction } from '@aos/definitions/published';

/** Characters of a tool name (rule R6). */
export const toolNameMax = 64;
const descriptionMax = 1024;
const helpCommand = 'help';
/** Names that are tools without being actions. */
const reservedNames = ['svc_submit_output'];

/** The meaning of a tool call: an action with its input, the list of a router's commands, or an unknown name. */
export type Addressed =
  | { kind: 'action'; name: string; input: JsonObject }
  | { kind: 'help'; text: string }
  | { kind: 'unknown'; message: string };

/** An agent's actions as the model is shown them. */
export interface Presentation {
  tools: ModelTool[];
  address(tool: string, input: JsonObject): Addressed;
}

/**
 * Shows actions to the model.
 *
 * Takes    the granted actions in order of name: the order settles who gets which name at a clash.
 * Source   rules R5, R6, R7.
 */
export function present(actions: readonly CatalogAction[], mode: 'flat' | 'meta'): Presentation {
  return mode === 'meta' ? routed(actions) : flat(actions);
}

/** One tool for each action: dots become underscores, a clash gets a number, at most 64 characters. */
function flat(actions: readonly CatalogAction[]): Presentation {
  const named = uniquelyNamed(actions, ({ name }) => name, toolNameMax, reservedNames);
  return {
    tools: [...named].map(([name, action]) => ({
      name,
      description: described(action),
      input_schema: inputSchemaOf(action),
    })),
    address(tool, input) {
      const action = named.get(tool);
      return action ? { kind: 'action', name: action.name, input } : unknownTool(tool);
    },
  };
}

/** One router for each family of actions; what it runs is said by `{command, args}`. */
function routed(actions: readonly CatalogAction[]): Presentation {
  const families = new Map<string, CatalogAction[]>();
  for (const action of actions) {
    const { family } = partsOf(action.name);
    families.set(family, [...(families.get(family) ?? []), action]);
  }
  const routers = uniquelyNamed([...families], ([family]) => family, toolNameMax, reservedNames);
  const commands = new Map(
    [...routers].map(([name, [, members]]) => [
      name,
      uniquelyNamed(members, (action) => partsOf(action.name).command, Infinity, [helpCommand]),
    ]),
  );
  return {
    tools: [...commands].map(([name, members]) => router(name, members)),
    address(tool, input) {
      const members = commands.get(tool);
      return members ? routedCall(tool, members, input) : unknownTool(tool);
    },
  };
}

function routedCall(
  tool: string,
  members: ReadonlyMap<string, CatalogAction>,
  { command, args }: JsonObject,
): Addressed {
  if (command === helpCommand)
    return {
      kind: 'help',
      text: JSON.stringify({ commands: [...members].map(([name, action]) => helpOf(name, action)) }),
    };
  const action = typeof command === 'string' ? members.get(command) : undefined;
  if (!action)
    return {
      kind: 'unknown',
      message: `${tool} has no command ${JSON.stringify(command ?? null)}; the command "${helpCommand}" lists them.`,
    };
  if (args === undefined) return { kind: 'action', name: action.name, input: {} };
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    return { kind: 'unknown', message: `"args" of ${tool} must be an object.` };
  return { kind: 'action', name: action.name, input: args };
}

function router(name: string, members: ReadonlyMap<string, CatalogAction>): ModelTool {
  return {
    name,
    description: `Commands: ${[...members.keys()].join(', ')}. "${helpCommand}" describes them and their args.`.slice(
      0,
      descriptionMax,
    ),
    input_schema: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: [...members.keys(), helpCommand] },
        args: { type: 'object', description: 'Input of the command.' },
      },
      required: ['command'],
    },
  };
}

function helpOf(command: string, action: CatalogAction): JsonObject {
  return { command, description: described(action), input_schema: inputSchemaOf(action) };
}

/**
 * Where an action stands among the routers: the first segment of its name, the first two below `svc`, `custom` without
 * dots.
 */
function partsOf(name: string): { family: string; command: string } {
  const segments = name.split('.');
  if (segments.length === 1) return { family: 'custom', command: name };
  const length = segments[0] === 'svc' && segments.length > 2 ? 2 : 1;
  return { family: segments.slice(0, length).join('.'), command: segments.slice(length).join('.') };
}

/** Names for things, in their order: a name that is taken gets the next number that is free. */
function uniquelyNamed<T>(
  things: readonly T[],
  nameOf: (thing: T) => string,
  lengthMax: number,
  taken: readonly string[],
): Map<string, T> {
  const named = new Map<string, T>();
  for (const thing of things) {
    const wanted = lengthMax === Infinity ? nameOf(thing) : nameOf(thing).replaceAll(/[^A-Za-z0-9_-]/g, '_');
    let name = wanted.slice(0, lengthMax);
    for (let number = 2; named.has(name) || taken.includes(name); number += 1) {
      const suffix = `_${number}`;
      name = `${wanted.slice(0, lengthMax - suffix.length)}${suffix}`;
    }
    named.set(name, thing);
  }
  return named;
}

function described({ name, title, description }: CatalogAction): string {
  return firstCharacters([title, description].filter(Boolean).join('. '), descriptionMax) || name;
}

function inputSchemaOf({ input_schema: schema }: CatalogAction): JsonObject {
  return { ...schema, type: 'object' };
}

function unknownTool(tool: string): Addressed {
  return { kind: 'unknown', message: `There is no tool named ${tool.slice(0, toolNameMax)}.` };
}
