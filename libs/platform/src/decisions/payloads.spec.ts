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

  it("stores a caller's look-alike of a reference as a value, at any depth", async () => {
    const payloads = new Payloads(new MemoryBlobs());
    for (const data of [
      { tags: { $blob: 'x' } },
      { row: { deep: [{ $blob: 'y', enc: 'utf8' }] } },
      { a: { $blob: { $blob: 'z' } } },
    ] as JsonObject[]) {
      const {
        stored: [stored],
      } = await payloads.spill(org, [data]);
      expect(await payloads.hydrate(org, stored)).toEqual(data);
    }
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
      ),
    })).json;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ value, more: value }), { minLength: 1, maxLength: 6 }), async (list) => {
        const payloads = new Payloads(new MemoryBlobs());
        const { stored } = await payloads.spill(org, list as JsonObject[]);
        for (const event of stored) expect(bytesOf(event)).toBeLessThanOrEqual(200 * 1024);
        expect(bytesOf(stored)).toBeLessThanOrEqual(810 * 1024);
        expect(await payloads.hydrate(org, stored)).toEqual(list);
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

  it('takes inline media out as bytes', async () => {
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
