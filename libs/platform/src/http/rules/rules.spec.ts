import 'reflect-metadata';
import { MaxLength, ValidateNested } from 'class-validator';
import { Refusal } from '@aos/kernel';
import { Nested } from './nested.js';
import {
  JsonBytesMax,
  JsonDepthMax,
  MemberForms,
  TagRules,
  TotalUtf8BytesMax,
  UniqueBy,
  Utf8BytesMax,
  depthWithin,
} from './rules.js';
import { RulesPipe } from './rules-pipe.js';

class Item {
  name!: string;
  @Utf8BytesMax(4) content?: string;
}

class Request {
  @Nested(() => Item) @UniqueBy('name') @TotalUtf8BytesMax('content', 6) context?: Item[];
  @JsonBytesMax(30) @JsonDepthMax(2) metadata?: object;
  @TagRules() tags?: Record<string, string>;
  @MaxLength(3) title?: string;
  @MemberForms({ count: Number.isInteger, toString: (value: unknown) => value === 'x' }) facts?: object;
}

const pipe = new RulesPipe(Request);
function refusalOf(body: unknown) {
  try {
    pipe.transform(body);
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, details: error.details };
    throw error;
  }
  return null;
}
const issues = (...each: [string, string][]) => ({
  code: 'bad_request',
  details: { issues: each.map(([path, message]) => ({ path, message })) },
});

describe('rules of a body', () => {
  it('give an instance and leave free-form parts as they are', () => {
    const metadata = { a: { b: 1 } };
    const body = { context: [{ name: 'a', content: 'ää' }], metadata, unknown: 1 };
    const made = pipe.transform(body);
    expect(made).toBe(body);
    expect(made).toBeInstanceOf(Request);
    expect(made.context?.[0]).toBeInstanceOf(Item);
    expect(made.metadata).toBe(metadata);
    expect(pipe.transform(undefined)).toBeInstanceOf(Request);
    for (const facts of [{}, { count: 1, other: null }, { toString: 'x' }, []])
      expect(pipe.transform({ facts }).facts).toBe(facts);
  });

  it.each([
    [{ context: [{ name: 'a', content: 'äää' }] }, issues(['/context/0/content', 'must not be over 4 UTF-8 bytes'])],
    [{ context: [{ name: 'a' }, { name: 'a' }] }, issues(['/context', 'must not repeat a name'])],
    [
      {
        context: [
          { name: 'a', content: 'ää' },
          { name: 'b', content: 'ää' },
        ],
      },
      issues(['/context', 'must not be over 6 UTF-8 bytes in all']),
    ],
    [{ metadata: { a: { b: { c: 1 } } } }, issues(['/metadata', 'must not be nested more than 2 levels deep'])],
    [{ metadata: { a: 'x'.repeat(40) } }, issues(['/metadata', 'must not be over 30 bytes as JSON'])],
    [
      { facts: { count: null } },
      issues(['/facts', "must have the contract's form in count, toString, where it has them"]),
    ],
    [{ title: 'long' }, issues(['/title', 'must be shorter than or equal to 3 characters'])],
    [{ tags: { 'svc:x': '1' } }, { code: 'invalid_argument', details: { argument: 'tags' } }],
    [
      { tags: { a: 'x'.repeat(257) } },
      issues(['/tags', 'must have at most 8 entries, keys of 1 to 128 and values of at most 256 characters']),
    ],
  ])('refuse %#', (body, expected) => expect(refusalOf(body)).toEqual(expected));

  it.each([null, {}, 'x', { prototype: {} }])(
    'hold for a body that names a constructor of its own: %j',
    (constructor) => {
      const own = { title: 'long', context: [{ name: 'a', content: 'äää', constructor }], constructor };
      expect(refusalOf(own)).toEqual(
        issues(
          ['/context/0/content', 'must not be over 4 UTF-8 bytes'],
          ['/title', 'must be shorter than or equal to 3 characters'],
        ),
      );
    },
  );

  it.each([
    [0, 'x', true],
    [0, {}, false],
    [1, {}, true],
    [1, { a: 1, b: [] }, false],
    [2, { a: 1, b: [null, 'x'] }, true],
    [2, [[1], [{}]], false],
    [3, [[1], [{ a: null }]], true],
  ])('count levels as objects and lists: within %i is %j: %s', (depth, value, expected) =>
    expect(depthWithin(value, depth)).toBe(expected),
  );

  it('do not load when a nested class would go unchecked', () => {
    class Wrong {
      @ValidateNested() item?: Item;
    }
    expect(() => new RulesPipe(Wrong)).toThrow('declare it with @Nested');
  });
});
