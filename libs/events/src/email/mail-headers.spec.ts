import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { automaticMail, envelopeAddress, headersByName, keptReferences, messageIdsIn } from './mail-headers.js';

const headers = (of: Record<string, string[]>) => new Map(Object.entries(of));

describe('the headers of a mail (rule TE16)', () => {
  it.each<[string | null, Record<string, string[]>, string | null]>([
    [null, {}, null],
    [null, {}, 'ann@example.org'],
    [null, { 'auto-submitted': ['no'] }, 'ann@example.org'],
    [null, { 'auto-submitted': ['No; owner=ann', ' no (a person)'] }, null],
    [null, { precedence: ['first-class'] }, null],
    ['auto_submitted', { 'auto-submitted': ['auto-replied'] }, null],
    ['auto_submitted', { 'auto-submitted': ['no', 'auto-generated; x=1'] }, null],
    ['auto_submitted', { 'auto-submitted': [''] }, null],
    ['list', { 'list-id': ['Us <us.example.org>'] }, 'ann@example.org'],
    ['bulk', { precedence: ['Bulk'] }, null],
    ['bulk', { precedence: ['first-class', ' junk '] }, null],
    ['bounce', {}, ''],
  ])('%s: %j from %j', (expected, of, envelopeFrom) => {
    expect(automaticMail(headers(of), envelopeFrom)).toBe(expected);
  });

  it('are read by name in the time of their number, however many have one name', async () => {
    const growth = await timeGrowth(4_000, (size) => {
      const given = Array.from({ length: size }, (_, n) => [n % 2 === 0 ? 'X-A' : 'x-a', String(n)] as const);
      return () => {
        const found = headersByName(given);
        const values = found.get('x-a');
        expect([found.size, values?.length, values?.at(-1)]).toEqual([1, size, String(size - 1)]);
      };
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });

  it('name message ids, with whatever stands between them', () => {
    expect(messageIdsIn('<1@a> (that)\r\n\t<2@b><3@c> <no id> 4@d')).toEqual(['<1@a>', '<2@b>', '<3@c>']);
    expect(messageIdsIn(`<${'x'.repeat(1000)}>`)).toEqual([]);
    expect(messageIdsIn('<a\ud83d@b> <c\ud83d\ude00@d>')).toEqual(['<c\ud83d\ude00@d>']);
  });

  it('keep the first id of a long thread and the newest', () => {
    const ids = Array.from({ length: 200 }, (_, n) => `<${n}@a>`);
    const kept = keptReferences(ids);
    expect([kept.length, kept[0], kept[1], kept.at(-1)]).toEqual([50, '<0@a>', '<151@a>', '<199@a>']);
    expect(keptReferences(ids.slice(0, 50))).toEqual(ids.slice(0, 50));
  });

  it.each([
    ['<ann@example.org>', 'ann@example.org'],
    [' ann@example.org ', 'ann@example.org'],
    ['<>', ''],
  ])('an envelope from %s is from %j', (text, address) => {
    expect(envelopeAddress(text)).toBe(address);
  });
});
