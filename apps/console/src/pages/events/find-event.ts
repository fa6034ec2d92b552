import type { AgentService, SourceEvent } from '@aos/client';

export interface FoundEvent {
  event: SourceEvent;
  /** The feed goes on behind it here. */
  position: string;
}

interface Where {
  kind?: string;
  source?: string;
  since?: string;
}

/** Events of one source that were recorded at one moment: more are not looked through. */
const atOneMomentMax = 50;
/** Without an address that says where: pages of the newest events that are looked through. */
const newestPagesMax = 10;

/** Finds an event of the feed by its id. Gives null when it is not where it should be. */
export async function findEvent(
  svc: AgentService,
  id: string,
  { kind, source, since }: Where,
  signal: AbortSignal,
): Promise<FoundEvent | null> {
  if (kind !== undefined && source !== undefined && since !== undefined)
    return foundFrom(svc, id, { kind, source, since }, signal);
  let pages = 0;
  for await (const { items } of svc.events.list({ order: 'desc', limit: 100 }, { signal }).pages()) {
    const event = items.find(({ meta }) => meta.id === id);
    if (event) {
      const { source_kind, source_id, meta } = event;
      return foundFrom(svc, id, { kind: source_kind, source: source_id, since: meta.received_at }, signal);
    }
    pages += 1;
    if (pages === newestPagesMax) return null;
  }
  return null;
}

/** Event by event from the moment it was recorded, so that the cursor behind it is its position. */
async function foundFrom(
  svc: AgentService,
  id: string,
  { kind, source, since }: Required<Where>,
  signal: AbortSignal,
): Promise<FoundEvent | null> {
  const query = { source_kind: kind, source_id: source, since, limit: 1 };
  let pages = 0;
  for await (const { items, next_cursor: position } of svc.events.list(query, { signal }).pages()) {
    const [event] = items;
    if (event?.meta.id === id) return { event, position: position ?? '' };
    pages += 1;
    if (pages === atOneMomentMax) return null;
  }
  return null;
}
