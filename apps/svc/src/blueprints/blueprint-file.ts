import { usageComplaint } from '../console/complaint.js';
import type { Io } from '../console/io.js';
import { fileText, parsed, textOf } from '../operations/request-body.js';

export type Entry = { key: string; name?: string } & Record<string, unknown>;
/** An apply request without `mode`. */
export type Blueprint = { namespace?: string; blueprint_key?: string; resources: Record<string, Entry[]> } & Record<
  string,
  unknown
>;

const lists: Readonly<Record<string, string>> = {
  actions: 'action',
  skills: 'skill',
  agents: 'agent',
  tables: 'table',
};

/** Takes the path of a blueprint, or `-`. Gives it. Refuses what is no blueprint, before anything is sent. */
export async function readBlueprint(path: string, io: Io): Promise<Blueprint> {
  const from = path === '-' ? 'standard input' : path;
  const value = parsed(path === '-' ? await textOf(io.input) : fileText(path), from, true);
  if (!isRecord(value) || !isRecord(value.resources))
    throw usageComplaint(
      `${from} is no blueprint: it has no \`resources\``,
      'A blueprint is the body of an apply: blueprint_key, and resources with agents, skills, actions and tables',
    );
  if ('mode' in value) throw usageComplaint(`${from} has \`mode\`, which the command says`, 'Remove the line `mode`');
  for (const [list, entries] of Object.entries(value.resources))
    if (!Array.isArray(entries) || !entries.every((entry) => isRecord(entry) && typeof entry.key === 'string'))
      throw usageComplaint(`${from}: resources.${list} must be a list of entries, each with a \`key\``);
  return value as Blueprint;
}

/** The entry that a change is about; none for a resource that the file does not have. */
export function entryFor({ resources }: Blueprint, type: string, key: string): Entry | null {
  const list = Object.keys(resources).find((name) => lists[name] === type);
  return (list === undefined ? [] : (resources[list] ?? [])).find((entry) => entry.key === key) ?? null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
