import { readFileSync } from 'node:fs';
import type { Composition, Setting } from './setting.js';
import { SettingFault } from './setting.js';
import { settingsTable } from './settings-table.js';

type Table = typeof settingsTable;
type ValueOf<S> = S extends Setting<infer T> ? T : never;
type SettingValues = { readonly [Member in keyof Table]: ValueOf<Table[Member]> } & {
  readonly composition: Composition;
};

/** Members of a class come from its base: a type alone is no token. */
const SettingValuesBase = class {} as unknown as abstract new () => SettingValues;

/** The parsed environment; also the Nest token for it. Made once by `loadSettings`, never changed. */
export abstract class Settings extends SettingValuesBase {}

/** Every fault of the environment at once; the process must not start. */
export class SettingsRefused extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`settings refused:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'SettingsRefused';
  }
}

const fileBytesMax = 64 * 1024;

/**
 * Parses the environment.
 *
 * Takes    the environment, and which composition starts (defaults differ).
 * Gives    a frozen object with one member per row of `settingsTable`.
 * Refuses  `SettingsRefused` with every fault; the text of a secret is never repeated.
 */
export function loadSettings(env: Readonly<Record<string, string | undefined>>, composition: Composition): Settings {
  const faults: string[] = [];
  const values: Record<string, unknown> = { composition };
  for (const [member, setting] of Object.entries(settingsTable) as [string, Setting<unknown>][]) {
    try {
      const given = givenText(env, setting.name);
      values[member] = given === null ? setting.absent(composition) : setting.parse(given);
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      faults.push(`${setting.name} ${error.message}`);
    }
  }
  if (faults.length === 0) faults.push(...combinationFaults(values as SettingValues));
  if (faults.length > 0) throw new SettingsRefused(faults);
  return Object.freeze(values as SettingValues);
}

/** Empty text is as good as absent: composition files often pass variables on that are not set. */
function givenText(env: Readonly<Record<string, string | undefined>>, name: string): string | null {
  const direct = env[name]?.trim() ?? '';
  const file = env[`${name}_FILE`]?.trim() ?? '';
  if (file === '') return direct === '' ? null : direct;
  if (direct !== '') throw new SettingFault(`and ${name}_FILE are both set`);
  return readSettingFile(file);
}

function readSettingFile(file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingFault(`cannot be read from ${file} (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`, {
      cause: error,
    });
  }
  if (Buffer.byteLength(content) > fileBytesMax)
    throw new SettingFault(`from ${file} is longer than ${fileBytesMax} bytes`);
  const trimmed = content.trim();
  if (trimmed === '') throw new SettingFault(`from ${file} is empty`);
  return trimmed;
}

function combinationFaults(values: SettingValues): string[] {
  const faults: string[] = [];
  const together = (first: keyof SettingValues & keyof Table, second: keyof SettingValues & keyof Table) => {
    if ((values[first] === null) !== (values[second] === null)) {
      faults.push(`${settingsTable[first].name} and ${settingsTable[second].name} go together`);
    }
  };
  together('s3Endpoint', 's3Bucket');
  together('s3AccessKey', 's3SecretKey');
  together('kafkaSaslMechanism', 'kafkaUsername');
  together('kafkaUsername', 'kafkaPassword');
  const apart = (first: 'port' | 'metricsPort', second: 'metricsPort' | 'smtpPort') => {
    const isOne = values[first] !== null && values[first] !== 0 && values[first] === values[second];
    if (isOne) faults.push(`${settingsTable[first].name} and ${settingsTable[second].name} name the same port`);
  };
  apart('port', 'metricsPort');
  apart('port', 'smtpPort');
  apart('metricsPort', 'smtpPort');
  if (values.s3Endpoint !== null && values.s3AccessKey === null)
    faults.push('SVC_S3_ENDPOINT needs SVC_S3_ACCESS_KEY and SVC_S3_SECRET_KEY');
  return faults;
}

/** The reference table of the settings as Markdown rows: name, default, meaning. */
export function settingsReference(): string {
  const rows = (Object.values(settingsTable) as Setting<unknown>[]).map(
    ({ name, shownDefault, meaning }) => `| \`${name}\` | ${shownDefault} | ${meaning} |`,
  );
  return ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
