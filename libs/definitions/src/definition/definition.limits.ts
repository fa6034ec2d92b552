import { invalidArgument, isLongerThan, type Issue } from '@aos/kernel';

/** Tags: 8 entries, keys 1..128, values up to 256 characters; `svc:` is ours (rule L12). */
export const tagsMax = 8;
export const tagKeyMax = 128;
export const tagValueMax = 256;
export const reservedTagPrefix = 'svc:';

/** Gives what is wrong with a tag map; an empty list when nothing is. */
export function tagIssues(tags: Readonly<Record<string, string>> | undefined, path = '/tags'): Issue[] {
  if (!tags) return [];
  const issues: Issue[] = [];
  const keys = Object.keys(tags);
  if (keys.length > tagsMax) issues.push({ path, message: `at most ${tagsMax} tags` });
  for (const key of keys) {
    const pointerTo = `${path}/${pointer(key)}`;
    if (key === '' || isLongerThan(key, tagKeyMax))
      issues.push({ path: pointerTo, message: `a tag key has 1 to ${tagKeyMax} characters` });
    if (isLongerThan(tags[key] ?? '', tagValueMax))
      issues.push({ path: pointerTo, message: `a tag value has at most ${tagValueMax} characters` });
  }
  return issues;
}

/** Refuses reserved keys: well-formed, but not a caller's (rules L12, G26). */
export function requireOwnTags(tags: Readonly<Record<string, string>> | undefined): void {
  const reserved = Object.keys(tags ?? {}).find((key) => key.startsWith(reservedTagPrefix));
  if (reserved !== undefined) throw invalidArgument('tags', `keys that start with ${reservedTagPrefix} are reserved`);
}

/** Gives an issue when text that must say something is blank or too long. */
export function nameIssues(name: string | undefined, max: number, path = '/name'): Issue[] {
  if (name === undefined) return [];
  if (name.trim() === '') return [{ path, message: 'must not be blank' }];
  return isLongerThan(name, max) ? [{ path, message: `at most ${max} characters` }] : [];
}

/** Gives an issue for each entry that appeared before. */
export function repeatIssues(values: readonly string[] | undefined, path: string): Issue[] {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const [index, value] of (values ?? []).entries()) {
    if (seen.has(value)) issues.push({ path: `${path}/${index}`, message: 'appears twice' });
    seen.add(value);
  }
  return issues;
}

function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Principals on a member list. */
export const membersMax = 200;

/** Dispositions of one change of an agent's audience; changes of one agent that are still carried out (rule TE11). */
export const dispositionsMax = 100;
export const followUpsMax = 8;
