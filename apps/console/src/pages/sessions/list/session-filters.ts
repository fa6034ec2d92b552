import type { Query } from '@aos/client';

type ListQuery = Query<'listSessions'>;

/** The filters of the list as the address has them: plain texts. */
export type SessionFilters = Readonly<Record<string, string | undefined>>;

export const sinceOptions = [
  { value: '', label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
] as const;

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000 };
const metadataMax = 4;

/** What the list is asked for. A span of time ends at the full minute, so that the question stays the same for one. */
export function sessionQuery({ q, agent, status, owner, metadata, since }: SessionFilters, now: number): ListQuery {
  const members = metadataPairs(metadata).slice(0, metadataMax);
  const after = sinceTime(since, now);
  return {
    limit: 50,
    ...(q ? { q } : {}),
    ...(agent ? { agent_id: agent } : {}),
    ...(status ? { status: status as NonNullable<ListQuery['status']> } : {}),
    ...(owner ? { owner_id: owner } : {}),
    ...(members.length > 0 ? { metadata: members } : {}),
    ...(after === null ? {} : { since: after }),
  };
}

/** Whether any filter is set. */
export function isFiltered(filters: SessionFilters): boolean {
  return ['q', 'agent', 'status', 'owner', 'metadata', 'since'].some((name) => (filters[name] ?? '') !== '');
}

/** `<key>:<value>`, several with a semicolon between. */
function metadataPairs(text: string | undefined): string[] {
  return (text ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
}

/** What is wrong with the text of the metadata filter; null when it can be asked for. */
export function metadataFault(text: string): string | null {
  const pairs = metadataPairs(text);
  if (pairs.some((pair) => !/^[^:]+:./.test(pair))) return 'Write each as key:value.';
  return pairs.length > metadataMax ? `At most ${metadataMax}.` : null;
}

/** A span such as `24h`, or a time of its own. */
function sinceTime(since: string | undefined, now: number): string | null {
  const [, count, unit] = /^(\d{1,3})([hd])$/.exec(since ?? '') ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date(Math.floor(now / 60_000) * 60_000 - Number(count) * (unitMs[unit] ?? 0)).toISOString();
  const time = Date.parse(since ?? '');
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
