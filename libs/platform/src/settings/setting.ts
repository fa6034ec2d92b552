/** Which programs read a setting. */
export type Composition = 'embedded' | 'fleet';

/** One environment variable: how its text is read, and what stands when it is absent. */
export interface Setting<T> {
  /** Environment variable. `<name>_FILE` names a file whose text is read instead. */
  readonly name: string;
  readonly meaning: string;
  /** As shown to people; the value itself comes from `absent`. */
  readonly shownDefault: string;
  /** Gives the value of a setting that is not in the environment; throws `SettingFault` when it is required. */
  readonly absent: (composition: Composition) => T;
  /** Reads trimmed, non-empty text; throws `SettingFault`. */
  readonly parse: (text: string) => T;
  /** Left out of what is printed and logged. */
  readonly secret: boolean;
}

/** Why a setting's text is refused; never holds the text of a secret. */
export class SettingFault extends Error {}

interface Declared {
  name: string;
  meaning: string;
  secret?: boolean;
}

/** A setting with a default, which may differ between the two compositions. */
export function withDefault<T>(
  declared: Declared,
  parse: (text: string) => T,
  value: T | { embedded: T; fleet: T },
): Setting<T> {
  const isSplit = typeof value === 'object' && value !== null && 'embedded' in value && 'fleet' in value;
  const shown = isSplit ? `${shownValue(value.embedded)} (fleet: ${shownValue(value.fleet)})` : shownValue(value);
  return {
    ...declared,
    secret: declared.secret ?? false,
    shownDefault: shown,
    absent: (composition) => (isSplit ? value[composition] : value),
    parse,
  };
}

/** A setting that may be absent. */
export function optional<T>(declared: Declared, parse: (text: string) => T, shownDefault = 'none'): Setting<T | null> {
  return { ...declared, secret: declared.secret ?? false, shownDefault, absent: () => null, parse };
}

function shownValue(value: unknown): string {
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',');
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}
