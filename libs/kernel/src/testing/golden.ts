import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamKind } from '../decider.js';
import { upcast, type AnyEvent } from '../events.js';
import { decodeState, encodeState, type JsonObject } from '../json.js';
import { foldFrozen } from './frozen.js';

/** An event as it was once written. */
export interface GoldenEvent {
  /** Name of its file in the `golden` folder. */
  file: string;
  type: string;
  schema_version: number;
  data: JsonObject;
}

const stateFile = /^state\.\d+\.json$/;

/** Recorded events of a noun, one file for each type and version, in order of their names. Takes the noun's folder. */
export function goldenEvents(folder: string): GoldenEvent[] {
  const golden = join(folder, 'golden');
  return readdirSync(golden)
    .filter((file) => !stateFile.test(file))
    .sort()
    .map((file) => ({ file, ...(JSON.parse(readFileSync(join(golden, file), 'utf8')) as Omit<GoldenEvent, 'file'>) }));
}

/** Events of a stream as they once were written: one file for each type and version, in the noun's `golden` folder. */
export function goldenOf<S, E extends AnyEvent>(
  folder: string,
  kind: StreamKind<S, E>,
): { after(...types: E['type'][]): S; recorded(type: E['type']): E; missing: string[] } {
  const golden = goldenEvents(folder);
  const recorded = (type: E['type']): E => {
    const found = golden.find((event) => event.type === type);
    if (!found) throw new Error(`${type} has no golden file`);
    return upcast(kind.events, type, structuredClone(found.data), found.schema_version) as E;
  };
  const missing = Object.entries(kind.events).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_none, older) => older + 1)
      .filter((older) => !golden.some((event) => event.type === type && event.schema_version === older))
      .map((older) => `${type} version ${older}`),
  );
  return { after: (...types) => foldFrozen(kind, types.map(recorded)), recorded, missing };
}

/**
 * Compares the encoded states along a history with `golden/state.<stateVersion>.json`. A snapshot must mean the same to
 * replicas of two versions of the code, so a state that is encoded in another way needs a new `stateVersion`. A state
 * is written once, by `GOLDEN_STATES=write npm test -- <folder>`; the file of the state version before is deleted by
 * hand. A step for a new event comes last.
 *
 * Takes    the noun's folder, the kind of stream, and a history: the events of each step, named by its last one.
 */
export function expectGoldenStates<S, E extends AnyEvent>(
  folder: string,
  kind: StreamKind<S, E>,
  history: readonly (readonly E[])[],
): void {
  const file = `state.${kind.stateVersion}.json`;
  const path = join(folder, 'golden', file);
  const states = encodedStates(kind, history);
  expect([...states.keys()].sort()).toEqual(Object.keys(kind.events).sort());
  if (process.env['GOLDEN_STATES'] === 'write') {
    const written = existsSync(path) ? readGolden(path).states : {};
    for (const [name, state] of Object.entries(written)) states.set(name, JSON.stringify(state));
    writeFileSync(path, fileOf(kind, states));
  }
  expect(readdirSync(join(folder, 'golden')).filter((each) => stateFile.test(each))).toEqual([file]);
  expect(readGolden(path)).toEqual(JSON.parse(fileOf(kind, encodedStates(kind, history))));
}

/** The state after each step. Every step is taken once more from what a snapshot of the step before reads back. */
function encodedStates<S, E extends AnyEvent>(
  kind: StreamKind<S, E>,
  history: readonly (readonly E[])[],
): Map<string, string> {
  const states = new Map<string, string>();
  let state = kind.initial();
  let revision = -1;
  for (const step of history) {
    const name = step.at(-1)?.type ?? '';
    if (states.has(name)) throw new Error(`two steps end with ${name}`);
    let resumed = decodeState<S>(encodeState(state));
    resumed = foldFrozen(kind, step, resumed, revision);
    state = foldFrozen(kind, step, state, revision);
    revision += step.length;
    states.set(name, encodeState(state));
    expect([name, resumed]).toEqual([name, state]);
  }
  return states;
}

interface GoldenStates {
  category: string;
  stateVersion: number;
  /** By the type of the event that a step ended with, as `encodeState` writes them. */
  states: Record<string, unknown>;
}

function readGolden(path: string): GoldenStates {
  return JSON.parse(readFileSync(path, 'utf8')) as GoldenStates;
}

/** One line for each state. */
function fileOf({ category, stateVersion }: { category: string; stateVersion: number }, states: Map<string, string>) {
  const lines = [...states].map(([name, state]) => `    ${JSON.stringify(name)}: ${state}`);
  return `{\n  "category": "${category}",\n  "stateVersion": ${stateVersion},\n  "states": {\n${lines.join(',\n')}\n  }\n}\n`;
}
