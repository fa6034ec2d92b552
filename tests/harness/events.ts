import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Client } from './client.js';
import { converse, createAgent, person, unique } from './service.js';
import { eventually } from './waiting.js';

export interface SourceEvent {
  event_type: string;
  source_kind: string;
  source_id: string;
  event: Record<string, unknown>;
  meta: Record<string, unknown> & { id: string };
}
export interface EventsPage {
  items: SourceEvent[];
  has_more: boolean;
  next_cursor: string;
}

const folder = join(__dirname, '..', '..', 'contract', 'events');
const pagesMax = 2_000;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>(
  readdirSync(folder).map((file) => [
    file.replace(/\.json$/, ''),
    ajv.compile(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
  ]),
);

/** The names of the published schemas: our own events, and `integration` for what providers send. */
export const schemaNames = [...validators.keys()].sort();

/** What an envelope has against the schema published for it; empty when nothing. */
export function envelopeFaults(envelope: SourceEvent): string[] {
  const validate = validators.get(envelope.source_kind === 'integration' ? 'integration' : envelope.event_type);
  if (!validate) return [`${envelope.event_type} has no schema`];
  if (validate(envelope) as boolean) return [];
  return (validate.errors ?? []).map(
    (error) => `${envelope.event_type} ${envelope.meta.id} ${error.instancePath} ${error.message ?? error.keyword}`,
  );
}

/** The whole feed after a place, page by page; gives the place it ends at. */
export async function eventsAfter(
  api: Client,
  cursor: string | undefined,
  query: Record<string, string | number | string[]> = {},
): Promise<{ events: SourceEvent[]; cursor: string }> {
  const events: SourceEvent[] = [];
  let place = cursor;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page: EventsPage = await api.get<EventsPage>('/v1/events', { limit: 100, ...query, cursor: place });
    events.push(...page.items);
    place = page.next_cursor;
    if (!page.has_more) return { events, cursor: place };
  }
  throw new Error('more events than any test makes');
}

/** Where the feed ends now. */
export async function feedEnd(api: Client): Promise<string> {
  return (await eventsAfter(api, undefined, { since: new Date(Date.now() + 3_600_000).toISOString() })).cursor;
}

/** Every source named here, with the types that it must have told in this order. */
export type Expected = Map<string, string[]>;

/**
 * Makes one event of every kind, from its real cause: mail, interactions answered and cancelled, memory, rows,
 * messages, a provider.
 * Gives the sources with what each must tell, in order.
 */
export async function scenario(api: Client): Promise<Expected> {
  const expected: Expected = new Map();
  const agent = await createAgent(api);
  const inbox = (await api.post<{ email_address: string }>(`/v1/agents/${agent.id}/inbox`)).email_address;
  const mail = await api.post<{ email_id: string }>(
    '/v1/inbound/email',
    {
      message_id: `<${unique('m')}@example.org>`,
      from: 'ann@example.org',
      to: [inbox],
      subject: 'Invoice',
      text: 'See there.',
      attachments: [{ name: 'a.pdf', mime_type: 'application/pdf', size_bytes: 3 }],
    },
    202,
  );
  expected.set(mail.email_id, ['email.received']);
  const ann = await person(api);
  const asked = async (title: string) =>
    (
      await api.post<{ id: string }>(
        '/v1/interactions',
        { kind: 'request_information', title, target_user_ids: [ann.id] },
        201,
      )
    ).id;
  const [answered, cancelled] = [await asked('Which one?'), await asked('Never mind')];
  await ann.client.post(`/v1/interactions/${answered}/respond`, { value: 'that one', comment: 'see there' }, 200);
  await api.post(`/v1/interactions/${cancelled}/cancel`, { reason: 'done' }, 200);
  for (const id of [answered, cancelled]) expected.set(id, ['interaction.created', 'interaction.resolved']);
  const entry = `/v1/agents/${agent.id}/memory/entries/colour`;
  const { entry_id: entryId } = await api.put<{ entry_id: string }>(entry, { content: 'blue' }, 201);
  await api.put(entry, { content: 'green' }, 200);
  await api.delete(entry);
  expected.set(entryId, ['memory.entry.created', 'memory.entry.updated', 'memory.entry.deleted']);
  const table = await api.post<{ id: string }>(
    '/v1/tables',
    {
      name: unique('t').replaceAll('-', '_'),
      schema: {
        identity_column: 'id',
        columns: [
          { name: 'id', type: 'string' },
          { name: 'n', type: 'number' },
        ],
      },
    },
    201,
  );
  const {
    items: [row],
  } = await api.post<{ items: { id: string }[] }>(`/v1/tables/${table.id}/bulk`, { rows: [{ id: 'a' }] }, 201);
  await api.patch(`/v1/tables/${table.id}/rows/${row?.id}`, { data: { n: 1 } });
  await api.delete(`/v1/tables/${table.id}/rows/${row?.id}`);
  expected.set(String(row?.id), ['table.row.inserted', 'table.row.updated', 'table.row.deleted']);
  const { ack } = await converse(api, agent.id, 'hello');
  expected.set(ack.session_id, ['session.message.created', 'session.message.created']);
  const integration = unique('int');
  await api.post(
    '/v1/inbound/events',
    {
      id: 'ev-1',
      event_type: 'github.issue.opened',
      integration_id: integration,
      occurred_at: '2026-02-01T10:00:00Z',
      event: { number: 3 },
    },
    202,
  );
  expected.set(integration, ['github.issue.opened']);
  return expected;
}

/** Where a reader finds what an event of the scenario is about: 404 when it is out of reach. */
export function addressOf({ source_kind: kind, source_id: id, event }: SourceEvent): string {
  const [agent, table, key] = [event['agent_id'], event['table_id'], event['memory_key']].map((value) =>
    encodeURIComponent(String(value)),
  );
  if (kind === 'agent_memory')
    return `/v1/agents/${agent}/memory/entries/${key}?user_id=${encodeURIComponent(String(event['user_id'] ?? ''))}`;
  if (kind === 'table_row') return `/v1/tables/${table}`;
  return kind === 'session' ? `/v1/sessions/${id}` : `/v1/interactions/${id}`;
}

/** Types told of each expected source, in the order given. */
export function toldOf(events: readonly SourceEvent[], expected: Expected): Expected {
  const told: Expected = new Map([...expected.keys()].map((source) => [source, []]));
  for (const { source_id: source, event_type: type } of events) told.get(source)?.push(type);
  return told;
}

/** Waits until the feed after a place tells of all that is expected; gives its events. */
export function feedTells(api: Client, cursor: string, expected: Expected): Promise<SourceEvent[]> {
  const count = [...expected.values()].flat().length;
  return eventually('the events of the scenario', async () => {
    const { events } = await eventsAfter(api, cursor);
    const mine = events.filter(({ source_id: source }) => expected.has(source));
    if (mine.length < count) throw new Error(`told so far: ${mine.map(({ event_type: type }) => type).join(' ')}`);
    return mine;
  });
}

export interface EventFrame {
  id: string;
  event: string;
  data: SourceEvent;
  atMs: number;
}

/** Follows the organization's stream as any SSE reader does. */
export async function followEvents(
  api: Client,
  query: Record<string, string>,
): Promise<{ frames: EventFrame[]; close: () => Promise<void> }> {
  const response = await fetch(api.url('/v1/events/stream', query), {
    headers: { authorization: `Bearer ${api.key ?? ''}`, accept: 'text/event-stream' },
  });
  if (response.status !== 200 || !response.body)
    throw new Error(`the stream answered ${response.status}: ${await response.text()}`);
  const reader = response.body.getReader();
  const frames: EventFrame[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  const reading = (async () => {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const parts = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) if (!part.startsWith(':')) frames.push(frameOf(part));
    }
  })();
  return {
    frames,
    close: async () => {
      await reader.cancel();
      await reading;
    },
  };
}

function frameOf(part: string): EventFrame {
  const fields = new Map(
    part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? '',
    data: JSON.parse(fields.get('data') ?? '') as SourceEvent,
    atMs: Date.now(),
  };
}
