import { settingsTable } from './settings-table.js';

const prefix = 'SVC_';
/** Variables of the command line and of the tools around a service, which it may inherit. */
const ofTools: ReadonlySet<string> = new Set([
  'SVC_APP',
  'SVC_BIND',
  'SVC_CHROMIUM',
  'SVC_COMMAND',
  'SVC_ENGINES_CONTROL',
  'SVC_ENGINES_OWN',
  'SVC_FAILPOINT',
  'SVC_FLEET_COPIES_OF',
  'SVC_FLEET_REPLICAS',
  'SVC_FLEET_RESTART_MS',
  'SVC_FLEET_WIRES',
  'SVC_KEY',
  'SVC_MODELS_FOLDER',
  'SVC_REDIS_CLUSTER_URL',
  'SVC_TEST_ATTEMPTS',
  'SVC_URL',
]);

export interface UnknownSetting {
  name: string;
  /** The setting whose name is written most alike. */
  nearest: string;
}

/**
 * Variables that look like settings and are none: a misspelt one would else be a setting that silently stands on its
 * default. Never their values.
 */
export function unknownSettings(env: Readonly<Record<string, string | undefined>>): UnknownSetting[] {
  const settings = Object.values(settingsTable)
    .map(({ name }) => name)
    .filter((name) => name.startsWith(prefix));
  const known = new Set(settings.flatMap((name) => [name, `${name}_FILE`]));
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && !known.has(name) && !ofTools.has(name));
  return unknown.sort().map((name) => ({ name, nearest: nearestTo(name, [...known]) }));
}

function nearestTo(name: string, known: readonly string[]): string {
  let [nearest, least] = ['', Number.POSITIVE_INFINITY];
  for (const candidate of known) {
    const steps = editSteps(name, candidate);
    if (steps < least) [nearest, least] = [candidate, steps];
  }
  return nearest;
}

/** Characters that are put in, left out or replaced on the way from one text to the other. */
function editSteps(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_none, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      line.push(Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}
