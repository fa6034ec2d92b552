import { createHash } from 'node:crypto';
import type { JsonObject } from '@aos/kernel';
import { MemoryBlobs } from '@aos/adapters/memory';
import fc from 'fast-check';
import { Payloads } from './payloads.js';

const org = 'org_a';
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('large values of an event', () => {
  it('leaves small data as it is, the same objects', async () => {
    const data: JsonObject = { text: 'x', list: [1, { a: null }] };
    expect((await new Payloads(new MemoryBlobs()).spill(org, [data])).stored[0]).toBe(data);
  });

  it('says about what is stored takes', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const small: JsonObject = { text: 'x'.repeat(500), list: [1, { a: null }] };
    const { bytes } = await payloads.spill(org, [small, small]);
    expect(bytes / (2 * bytesOf(small))).toBeCloseTo(1, 1);
    expect((await payloads.spill(org, [{ text: 'y'.repeat(100_000) }])).bytes).toBeLessThan(500);
  });

  it('keeps what a fold reads of the small events of a large append', async () => {
    const list: JsonObject[] = Array.from({ length: 1200 }, (_, index) => ({
      turn: { id: `${index}`, name: 'n'.repeat(500), status: 'cancelled', agent: 'a'.repeat(300) },
    }));
    const { stored } = await new Payloads(new MemoryBlobs()).spill(org, list);
    expect(stored.map(({ turn }) => (turn as JsonObject)['id'])).toEqual(list.map((_, index) => `${index}`));
  });

  it('keeps a reference that a decision takes from a state and writes again', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const data = { text: 'x'.repeat(70_000), $blob: 'y', inner: { $blob: 'z', enc: 'utf8' } };
    const first = (await payloads.spill(org, [{ data }])).stored[0] as JsonObject;
    const again = async (state: JsonObject) => {
      const { stored } = await payloads.spill(org, [{ list: [state['data']!], more: 'm'.repeat(70_000) }]);
      expect(await payloads.hydrate(org, stored[0])).toEqual({ list: [data], more: 'm'.repeat(70_000) });
    };
    await again(first);
    const recorded = JSON.parse(JSON.stringify(first)) as JsonObject;
    payloads.recognize({ bySession: new Map([['a', new Set([recorded])]]) });
    await again(recorded);
  });

  it('keeps any event under 200 KiB and any append under 800 KiB, and gives everything back', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.integer({ min: 1, max: 150_000 }).map((length) => 'é'.repeat(length)),
    );
    const value = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('json'), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom('a', 'b', '$blob', 'enc'), tie('json'), { maxKeys: 3 }),
        fc.record({ $blob: fc.constantFrom(existing, absent, 'x'), enc: fc.constantFrom('utf8', 'json', 'refs', 'x') }),
      ),
    })).json;
    const lists = fc.array(fc.record({ value, more: value }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom('current', 'previous'), async (list, writes) => {
        const payloads = new Payloads(await blobsWithSecret());
        const { stored } = await payloads.spill(org, list as JsonObject[], [], writes);
        for (const event of stored) expect(bytesOf(event)).toBeLessThanOrEqual(200 * 1024);
        expect(bytesOf(stored)).toBeLessThanOrEqual(810 * 1024);
        const whole = await payloads.hydrate(org, stored);
        expect(whole).toEqual(list);
        expect(await payloads.hydrate(org, whole)).toBe(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('gives back media inside a value that had to leave as a whole', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: Buffer.from('picture').toString('base64') },
    };
    const data: JsonObject = {
      content: [picture, ...Array.from({ length: 20_000 }, (_, index) => ({ type: 'text', text: String(index) }))],
    };
    const {
      stored: [stored],
    } = await payloads.spill(org, [data]);
    expect(bytesOf(stored)).toBeLessThanOrEqual(200 * 1024);
    expect(await payloads.hydrate(org, stored)).toEqual(data);
  });

  it('takes the media of blocks out as bytes', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const data: JsonObject = {
      source: { type: 'base64', media_type: 'image/png', data: Buffer.from('picture').toString('base64') },
    };
    const {
      stored: [stored],
    } = await payloads.spill(org, [data]);
    expect(JSON.stringify(stored)).not.toContain(String((data.source as JsonObject).data));
    expect(await payloads.hydrate(org, stored)).toEqual(data);
  });
});

/** The text of another value, and the digest that names it. */
const secret = 'of another';
const existing = createHash('sha256').update(secret).digest('hex');
const absent = '0'.repeat(64);

async function blobsWithSecret(): Promise<MemoryBlobs> {
  const blobs = new MemoryBlobs();
  expect(await blobs.put(org, Buffer.from(secret))).toBe(existing);
  return blobs;
}

/** Callers' values that look like what the log holds in the place of a value. */
const lookAlikes: [string, JsonObject][] = [
  ['a text', { $blob: 'x' }],
  ['a number', { $blob: 5 }],
  ['another encoding', { $blob: existing, enc: 'utf16' }],
  ['one member too many', { $blob: existing, enc: 'utf8', more: 1 }],
  ['the other order', { enc: 'utf8', $blob: existing }],
  ['one in another', { $blob: { $blob: 'z' } }],
];
/** With exactly the members of a reference. */
const forged: [string, JsonObject][] = [
  ['a text', { $blob: existing, enc: 'utf8' }],
  ['JSON', { $blob: existing, enc: 'json' }],
  ['one that is not there', { $blob: absent, enc: 'refs' }],
  ['one in another', { $blob: { $blob: existing, enc: 'utf8' }, enc: 'refs' }],
];

describe("a caller's value that looks like a reference", () => {
  it.each(lookAlikes)('stays as it is: %s', async (_what, value) => {
    const payloads = new Payloads(await blobsWithSecret());
    const data: JsonObject = { value, deep: [{ value }] };
    const [stored] = (await payloads.spill(org, [data])).stored;
    expect(stored).toBe(data);
    expect(await payloads.hydrate(org, stored)).toBe(stored);
  });

  it.each(forged)('is the same JSON in the log, in a state and beside large values: %s', async (_what, value) => {
    const payloads = new Payloads(await blobsWithSecret());
    const data: JsonObject = { value, deep: [{ value }] };
    const [stored] = (await payloads.spill(org, [data])).stored;
    expect(stored).toEqual(data);
    expect(await payloads.hydrate(org, stored)).toBe(stored);
    const large = { ...data, text: 't'.repeat(70_000), many: Array.from({ length: 5000 }, () => value) };
    for (const events of [[large], Array.from({ length: 6 }, () => large)]) {
      const { stored: recorded } = await payloads.spill(org, events);
      expect(bytesOf(recorded)).toBeLessThanOrEqual(events.length === 1 ? 200 * 1024 : 810 * 1024);
      expect(await payloads.hydrate(org, JSON.parse(JSON.stringify(recorded)))).toEqual(events);
    }
  });

  it.each(forged)('is no reference either where a state of the log is written again: %s', async (_what, value) => {
    const payloads = new Payloads(await blobsWithSecret());
    const [first] = (await payloads.spill(org, [{ value, text: 't'.repeat(70_000) }])).stored;
    const state = JSON.parse(JSON.stringify(first)) as JsonObject;
    payloads.recognize(state);
    const [again] = (await payloads.spill(org, [{ state, value }])).stored;
    expect(await payloads.hydrate(org, again)).toEqual({ state: { value, text: 't'.repeat(70_000) }, value });
  });

  it.each([...lookAlikes, ...forged])('is a value of its own for the release before: %s', async (_what, value) => {
    const payloads = new Payloads(await blobsWithSecret());
    const [stored] = (await payloads.spill(org, [{ value, deep: [{ value }] }], [], 'previous')).stored;
    const reference = { $blob: expect.stringMatching(/^[0-9a-f]{64}$/) as string, enc: 'json' };
    expect(stored).toEqual({ value: reference, deep: [{ value: reference }] });
    const whole = await payloads.hydrate(org, stored);
    expect(whole).toEqual({ value, deep: [{ value }] });
    expect(await payloads.hydrate(org, whole)).toBe(whole);
  });
});

describe("a caller's value that looks like media", () => {
  const media = { type: 'base64', media_type: 'image/png', data: Buffer.from('picture').toString('base64') };

  it.each<[string, JsonObject]>([
    ['not the source of a block', { input: media }],
    ['inside metadata', { row: { metadata: { picture: { type: 'image', source: media } } } }],
    ['no base 64', { type: 'image', source: { ...media, data: 'not base 64!' } }],
    ['base 64 without its end', { type: 'image', source: { ...media, data: 'aGk' } }],
  ])('stays as it is: %s', async (_what, data) => {
    const payloads = new Payloads(new MemoryBlobs());
    expect((await payloads.spill(org, [data])).stored[0]).toBe(data);
  });

  it('leaves as a text where it is large', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const data = { source: { ...media, data: `${'?'.repeat(70_000)}!` } };
    const [stored] = (await payloads.spill(org, [data])).stored;
    expect(bytesOf(stored)).toBeLessThan(500);
    expect(await payloads.hydrate(org, stored)).toEqual(data);
  });
});

describe('an event of very many short values', () => {
  it('keeps what names it: the list leaves, not the record around it', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const content = Array.from({ length: 4000 }, (_, index) => ({ type: 'text', text: `${index} `.repeat(20) }));
    const data = { row: { id: 'msg_1', sequence: 7, content, metadata: { a: 1 } }, at: 'now' };
    const {
      stored: [stored],
    } = await payloads.spill(org, [data]);
    expect(stored).toMatchObject({
      row: { id: 'msg_1', sequence: 7, metadata: { a: 1 }, content: { enc: 'refs' } },
      at: 'now',
    });
    expect(await payloads.hydrate(org, stored)).toEqual(data);
  });

  it.each([
    ['one call of many short texts', 1, 1500],
    ['two halves of one call', 1, 3000],
    ['many calls', 1000, 3],
    ['some large calls', 40, 300],
  ])('keeps the records that a fold reads, whatever of them has to leave: %s', async (_what, count, texts) => {
    const payloads = new Payloads(new MemoryBlobs());
    const part = Object.fromEntries(Array.from({ length: texts }, (_, index) => [`k${index}`, `${index}`.padEnd(90)]));
    const input = texts > 2000 ? { a: part, b: part } : part;
    const calls = Array.from({ length: count }, (_, index) => ({
      tool_call_id: `toolu_${index}`,
      name: 'save',
      input,
      resolved_action: { name: 'svc.save', input },
    }));
    const data: JsonObject = { turn_id: 'turn_1', calls };
    const {
      stored: [stored],
    } = await payloads.spill(org, [data], ['calls']);
    expect(stored).toMatchObject({
      turn_id: 'turn_1',
      calls: calls.map(({ tool_call_id, name }) => ({ tool_call_id, name, resolved_action: { name: 'svc.save' } })),
    });
    expect(bytesOf(stored)).toBeLessThanOrEqual((count > 100 ? 500 : 200) * 1024);
    expect(await payloads.hydrate(org, stored)).toEqual(data);
  });

  it('is written as text a few times only, however many values leave', async () => {
    const payloads = new Payloads(new MemoryBlobs());
    const options = Array.from({ length: 1200 }, (_, index) => ({
      value: `v${index}`,
      description: `${index}`.padEnd(800, 'd'),
    }));
    const write = jest.spyOn(JSON, 'stringify');
    const {
      stored: [stored],
    } = await payloads.spill(org, [{ questions: options }]);
    const written = write.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
    write.mockRestore();
    expect(written).toBeLessThan(10 * bytesOf(options));
    expect(bytesOf(stored)).toBeLessThanOrEqual(200 * 1024);
    expect(await payloads.hydrate(org, stored)).toEqual({ questions: options });
  });
});
