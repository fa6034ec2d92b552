import { canonicalJson } from '@aos/kernel';

/** Names of the fields that differ, in the first one's order (rule B5, `fields`). */
export function differingFields(current: object, next: object): string[] {
  const was = current as Readonly<Record<string, unknown>>;
  const is = next as Readonly<Record<string, unknown>>;
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => canonicalJson(was[field] ?? null) !== canonicalJson(is[field] ?? null),
  );
}
