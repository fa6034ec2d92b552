import fc from 'fast-check';
import { canonicalJson, type JsonObject } from '@aos/kernel';
import { withinSize, type Envelope } from './size.limits.js';

const envelope = (event: JsonObject): Envelope => ({
  event_type: 'a.b.c',
  source_kind: 'k',
  source_id: 's',
  event,
  meta: { id: 'evt_1' },
});
const bytes = (value: unknown) => Buffer.byteLength(canonicalJson(value));

describe('the size of an envelope', () => {
  it('is left alone when it is small enough', () => {
    const small = envelope({ text: 'x'.repeat(100) });
    expect(withinSize(small, 400)).toBe(small);
  });

  it('is kept by cutting the largest texts, and only those', () => {
    const cut = withinSize(
      envelope({ long: 'x'.repeat(1000), short: 'stays', list: [{ 'a/b~': 'y'.repeat(900) }] }),
      1000,
    );
    expect(bytes(cut)).toBeLessThanOrEqual(1000);
    expect(bytes(cut)).toBeGreaterThan(950);
    expect(cut.event.short).toBe('stays');
    expect(cut.meta.truncated).toEqual(['/event/list/0/a~1b~0', '/event/long']);
  });

  it('never leaves half a character', () => {
    for (let limit = 150; limit < 400; limit += 7) {
      const { text } = withinSize(envelope({ text: '😀'.repeat(200) }), limit).event;
      expect(Buffer.from(String(text)).toString()).toBe(text);
    }
  });

  it('empties members when texts are not what is large', () => {
    const cut = withinSize(envelope({ numbers: Array.from({ length: 500 }, (_, n) => n), name: 'n' }), 500);
    expect(cut.event).toEqual({ numbers: [], name: 'n' });
    expect(cut.meta.truncated).toEqual(['/event/numbers']);
  });

  it('holds for any payload, and the same payload gives the same bytes', () => {
    const payload = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 4 }), {
      maxKeys: 8,
    }) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(payload, fc.integer({ min: 500, max: 3000 }), (event, limit) => {
        const first = withinSize(envelope(structuredClone(event)), limit);
        expect(bytes(first)).toBeLessThanOrEqual(Math.max(limit, 500));
        expect(canonicalJson(withinSize(envelope(structuredClone(event)), limit))).toBe(canonicalJson(first));
      }),
      { numRuns: 300 },
    );
  });
});
