import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, type JsonObject, type NewEvent } from '@aos/kernel';
import { eventsWorld, orgA } from '../testing/events.fixture.js';
import type { SourceEvent } from './envelope.js';
import { envelopeBytesMax } from './size.js';

interface Golden {
  /** A stream as it was recorded. */
  stream: string;
  recorded: NewEvent[];
  /** What the outside is told of it, byte for byte. */
  told: string[];
}

const folder = join(__dirname, 'golden');

async function told(stream: string, recorded: readonly NewEvent[]): Promise<SourceEvent[]> {
  const world = eventsWorld();
  const events = world.publicEvents();
  await world.store.append(stream, 'none', recorded);
  const all: SourceEvent[] = [];
  for (const event of await world.store.read(stream, { limit: 100 })) all.push(...(await events.of(event)));
  return all;
}

describe('what sessions tell', () => {
  it.each(readdirSync(folder))('%s is told in the same bytes for ever', async (file) => {
    const golden = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden;
    const events = await told(golden.stream, golden.recorded);
    expect(events.map(({ text }) => text)).toEqual(golden.told);
    for (const { text } of events) expect(text).toBe(canonicalJson(JSON.parse(text)));
  });

  it('has the members of the envelope and the routing fields of its type, nothing else', () => {
    for (const file of readdirSync(folder)) {
      for (const text of (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden).told) {
        const envelope = JSON.parse(text) as JsonObject;
        expect(Object.keys(envelope)).toEqual(['event', 'event_type', 'meta', 'source_id', 'source_kind']);
        expect(Object.keys(envelope.meta as JsonObject)).toEqual([
          'agent_id', 'event_type', 'id', 'message_id', 'occurred_at', 'received_at', 'role', 'session_id', 'source_id', 'source_kind',
        ]);
      }
    }
  });

  it('brings large values back, without the bytes of media, and stays within its size', async () => {
    const world = eventsWorld();
    const events = world.publicEvents();
    await world.sessions.open('ses_00000000000000000000000001', orgA);
    const text = 'a'.repeat(300 * 1024);
    const image = Buffer.alloc(100 * 1024, 'i').toString('base64');
    const content: JsonObject[] = [{ type: 'text', text }, { type: 'text', text: `${text}b` }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } }];
    const row: JsonObject = { id: 'msg_1', role: 'user', content, entry_type: 'message', sequence: 1, turn_id: null, turn_index: null, created_at: '2026-01-01T00:00:00.000Z' };
    const [stored] = await world.payloads.spill(orgA, [{ row }]);
    await world.sessions.append('ses_00000000000000000000000001', orgA, 'MessageAppended', stored ?? {}, { blobs: '1' });
    const [, recorded] = await world.store.read('session-ses_00000000000000000000000001', { limit: 2 });
    const [event] = recorded ? await events.of(recorded) : [];
    expect(Buffer.byteLength(event?.text ?? '')).toBeLessThanOrEqual(envelopeBytesMax);
    expect(event?.envelope.meta.truncated).toEqual(['/event/content/0/text', '/event/content/1/text']);
    expect((event?.envelope.event.content as JsonObject[])[2]).toEqual({ type: 'image', source: { type: 'base64', media_type: 'image/png' } });
  });
});
