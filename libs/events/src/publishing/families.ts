import type { EventFamily } from '@aos/kernel';
import { resourceKinds } from '@aos/definitions/published';
import { publishers } from './publishers.js';

/** The service's own events (rule EV1), as their publishers declare them, by prefix. */
export const families: readonly EventFamily[] = [...new Set(publishers.flatMap(({ family }) => family ?? []))].sort(
  (a, b) => (a.prefix < b.prefix ? -1 : 1),
);

/** Words for parts of the service: each leaves the reserved ones when a family has it. */
const capabilities = [
  ...[...resourceKinds.map(({ type }) => type), 'blueprint', 'routine'].sort(),
  'turn',
  'nudge',
  'compaction',
];
const utilities = ['custom', 'org', 'stream', 'svc'];

/** Namespaces that set nothing off, and that no provider may use. */
export const reservedPrefixes: readonly { prefix: string; kind: 'capability' | 'utility' }[] = [
  ...capabilities.map((prefix) => ({ prefix, kind: 'capability' as const })),
  ...utilities.map((prefix) => ({ prefix, kind: 'utility' as const })),
].filter(({ prefix }) => !isOfFamily(prefix));

/** Whether a provider may not use a prefix. */
export function isReserved(prefix: string): boolean {
  return isOfFamily(prefix) || reservedPrefixes.some((reserved) => reserved.prefix === prefix);
}

function isOfFamily(prefix: string): boolean {
  return families.some((family) => family.prefix === prefix);
}
