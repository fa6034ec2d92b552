import { ConditionFault, parseCondition } from './condition.decide.js';
import { fits } from '@aos/kernel';
import { isPattern } from './pattern.decide.js';

describe('event patterns', () => {
  it('are a concrete type or a prefix with .*', () => {
    expect(
      ['table.row.inserted', 'table.*', 'github.pull_request.opened', 'github.event', 'a-b.c'].filter(isPattern),
    ).toHaveLength(5);
    expect(['', '*', '.*', 'table', 'table.', 'table.*.x', 'ta ble.x', '9.x'].filter(isPattern)).toEqual([]);
  });

  it('fit whole parts of a name', () => {
    expect(fits('table.row.inserted', 'table.*')).toBe(true);
    expect(fits('table.row.inserted', 'table.row.inserted')).toBe(true);
    expect(fits('tables.row.inserted', 'table.*')).toBe(false);
    expect(fits('table.row.inserted2', 'table.row.inserted')).toBe(false);
  });
});

const looked = {
  event: {
    status: 'completed',
    n: 5,
    tags: ['a', 'b'],
    consumer_kind: 'none',
    data: { name: 'Ada', x: null },
    'odd-name': 1,
  },
  meta: { role: 'user', version: 2 },
};

describe('conditions', () => {
  it.each([
    'event.status == "completed"',
    'event.status == \'completed\' && meta.role != "system"',
    'event.consumer_kind == none',
    'event.n > 4 and event.n <= 5',
    'event.tags contains "a"',
    'event.status in ["completed", "expired"]',
    'event.data.name starts_with "A"',
    'event.missing == null',
    '!(event.n == 6) || false',
    'not event.missing',
    'event.tags[1] == b',
    'event["odd-name"] == 1',
    'event.data',
    'event.n == 5.0',
    '(((event.n == 5)))',
    'event.a.b.c == null',
    'event.n > -1',
  ])('%s holds', (text) => {
    expect(parseCondition(text)(looked)).toBe(true);
  });

  it.each([
    'event.status == "x"',
    'event.n < "9"',
    'event.missing > 1',
    'event.data.x',
    'event.status ends_with "x"',
    'event.toString',
    'event.tags.length == 2',
    'event.n in 5',
    '"" || 0 || null',
  ])('%s does not', (text) => {
    expect(parseCondition(text)(looked)).toBe(false);
  });

  it.each([
    '',
    'event.',
    'event.n ==',
    '== 1',
    'event.n == 1 2',
    '(event.n',
    'event[n]',
    'event.n @ 1',
    '"open',
    '['.repeat(30),
    '!'.repeat(30),
    '1 || '.repeat(200),
  ])('%s is none', (text) => {
    expect(() => parseCondition(text)).toThrow(ConditionFault);
  });
});
