import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { resourceKinds } from '@aos/definitions/published';
import { canonicalJson, type JsonObject, type NewEvent } from '@aos/kernel';
import { families, isReserved, reservedPrefixes } from './families.js';
import { faultsAgainst } from '../testing/contract-schema.js';
import { eventsWorld, orgA } from '../testing/events.fixture.js';
import type { SourceEvent } from './envelope.wire.js';
import { withoutInlineBytes } from './public-events.js';
import { envelopeBytesMax } from './size.limits.js';

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

it('no provider may use the word of a resource or of a family, and a family is no reserved word', () => {
  for (const prefix of [...resourceKinds.map(({ type }) => type), ...families.map((family) => family.prefix)])
    expect([prefix, isReserved(prefix)]).toEqual([prefix, true]);
  expect(isReserved('github')).toBe(false);
  const reserved = reservedPrefixes.map(({ prefix }) => prefix);
  expect(families.filter(({ prefix }) => reserved.includes(prefix))).toEqual([]);
});

describe('what the outside is told', () => {
  it.each(readdirSync(folder))('%s is told in the same bytes for ever', async (file) => {
    const golden = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden;
    const events = await told(golden.stream, golden.recorded);
    const texts = events.map(({ envelope }) => JSON.stringify(envelope));
    expect(texts).toEqual(golden.told);
    for (const text of texts) expect(text).toBe(canonicalJson(JSON.parse(text)));
  });

  it.each(readdirSync(folder))('%s is what the contract says', (file) => {
    for (const text of (JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden).told) {
      const envelope = JSON.parse(text) as JsonObject & { event_type: string; meta: JsonObject };
      const type = families.flatMap(({ types }) => types).find(({ name }) => name === envelope.event_type);
      expect(faultsAgainst('SourceEvent', envelope)).toEqual([]);
      if (type) expect(faultsAgainst(type.schema, envelope.event)).toEqual([]);
      const routing = type?.routing ?? ['provider', 'integration_id'];
      expect(Object.keys(envelope)).toEqual(['event', 'event_type', 'meta', 'source_id', 'source_kind']);
      expect(Object.keys(envelope.meta).sort()).toEqual(
        [...routing, 'event_type', 'id', 'occurred_at', 'received_at', 'source_id', 'source_kind'].sort(),
      );
    }
  });

  it('brings large values back, without the bytes of media, and stays within its size', async () => {
    const world = eventsWorld();
    const events = world.publicEvents();
    await world.sessions.open('ses_00000000000000000000000001', orgA);
    const text = 'a'.repeat(300 * 1024);
    const image = Buffer.alloc(100 * 1024, 'i').toString('base64');
    const content: JsonObject[] = [
      { type: 'text', text },
      { type: 'text', text: `${text}b` },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
    ];
    const row: JsonObject = {
      id: 'msg_1',
      role: 'user',
      content,
      entry_type: 'message',
      sequence: 1,
      turn_id: null,
      turn_index: null,
      created_at: '2026-01-01T00:00:00.000Z',
    };
    const {
      stored: [stored],
    } = await world.payloads.spill(orgA, [{ row }]);
    await world.sessions.append('ses_00000000000000000000000001', orgA, 'MessageAppended', stored ?? {}, {
      blobs: '1',
    });
    const [, recorded] = await world.store.read('session-ses_00000000000000000000000001', { limit: 2 });
    const [event] = recorded ? await events.of(recorded) : [];
    expect(Buffer.byteLength(JSON.stringify(event?.envelope))).toBeLessThanOrEqual(envelopeBytesMax);
    expect(event?.envelope.meta.truncated).toEqual(['/event/content/0/text', '/event/content/1/text']);
    expect((event?.envelope.event.content as JsonObject[])[2]).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png' },
    });
  });

  it('leaves out the bytes of media, and nothing of a value that is none', () => {
    const block = (type: string, source: JsonObject) => ({ type, source, note: 'kept' });
    const media = { type: 'base64', media_type: 'image/png', data: 'aGk=' };
    const own = { type: 'base64', data: 'a text of its own' };
    const value = {
      blocks: [block('image', media), block('document', media), block('widget', own)],
      result: { own, source: own, deep: [{ type: 'text', data: own }] },
    };
    const slim = { type: 'base64', media_type: 'image/png' };
    expect(withoutInlineBytes(value)).toEqual({
      ...value,
      blocks: [block('image', slim), block('document', slim), block('widget', own)],
    });
    expect(withoutInlineBytes(value.result)).toBe(value.result);
  });
});
