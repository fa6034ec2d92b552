import { pathPart } from '../connection/path-part.js';
import type { Frame, Service } from '../connection/service.js';

type Row = Record<string, unknown>;
type Page = {
  messages: Row[];
  turns: Row[];
  interactions: Row[];
  has_more: boolean;
  next_page_token?: string;
  resume_cursor: string;
};

const pageRows = 100;
const pagesMax = 1_000;

/**
 * The frames of a session from its beginning. A stream without a position begins with the newest rows: of a longer
 * session the older ones are read page by page, and given as the frames that they came in.
 */
export async function* sessionFrames(
  service: Service,
  sessionId: string,
  idle: 'end' | 'wait',
): AsyncGenerator<Frame, void, undefined> {
  const path = `/v1/sessions/${pathPart('session_id', sessionId)}/transcript`;
  const newest = (await service.request('GET', path, { query: { limit: String(pageRows) } })) as Page;
  if (!newest.has_more) {
    yield* service.followSession(sessionId, { idle });
    return;
  }
  const pages = [newest];
  for (let token = newest.next_page_token; token !== undefined && pages.length < pagesMax;) {
    const page = (await service.request('GET', path, {
      query: { page_token: token, limit: String(pageRows) },
    })) as Page;
    pages.push(page);
    token = page.has_more ? page.next_page_token : undefined;
  }
  for (const { messages, turns } of pages.reverse()) {
    yield* messages.map((message) => ({ data: { event_type: 'message.upsert', ...message } }));
    yield* turns.map((turn) => ({ data: { event_type: 'turn.upsert', ...turn } }));
  }
  yield* newest.interactions.map((question) => ({ data: { event_type: 'interaction.upsert', ...question } }));
  yield* service.followSession(sessionId, { after: newest.resume_cursor, idle });
}
