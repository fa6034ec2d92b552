import { wellFormed, type Condition, type IndexValue } from '@aos/kernel';

/**
 * Index values as text whose bytes sort like the values. A row stands in an index's sorted set as `<encoded value> NUL
 * <key>`, all with the same score: so ranges, prefixes and pages are ranges of text.
 */
const numberPrefix = 'n';
const textPrefix = 's';
const tagPrefix = 't';
const lastCharacter = '\u{10FFFF}';
const endMark = '\u0000';
const afterEnd = '\u0001';

/** In an encoded text NUL is the end; a NUL or \u0001 of the text itself becomes two characters that keep the order. */
function escaped(text: string): string {
  return wellFormed(text).replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');
}

const bits = new DataView(new ArrayBuffer(8));

/** 16 hex digits that sort like the number. Refuses what is not finite. */
function sortableNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`an index value must be finite: ${value}`);
  bits.setFloat64(0, value === 0 ? 0 : value);
  const raw = bits.getBigUint64(0);
  const sortable = raw >> 63n ? ~raw & 0xffffffffffffffffn : raw | (1n << 63n);
  return sortable.toString(16).padStart(16, '0');
}

export function encodeValue(value: number | string): string {
  return typeof value === 'number' ? numberPrefix + sortableNumber(value) : textPrefix + escaped(value);
}

const encodeTag = (tag: string) => tagPrefix + escaped(tag);

/** Gives [index, encoded value] of every entry that a row has. */
export function membersOf(index: Readonly<Record<string, IndexValue>>): [string, string][] {
  const members: [string, string][] = [];
  for (const [name, value] of Object.entries(index)) {
    if (typeof value === 'object') for (const tag of new Set(value)) members.push([name, encodeTag(tag)]);
    else members.push([name, encodeValue(value)]);
  }
  return members;
}

/** Bounds for ZRANGEBYLEX: `[` includes, `(` excludes. */
export interface LexRange {
  min: string;
  max: string;
}

const exactly = (encoded: string): LexRange => ({ min: `[${encoded}${endMark}`, max: `(${encoded}${afterEnd}` });

export const everyKey: LexRange = { min: '-', max: '+' };

/** All entries with single values, in their order: numbers, then texts. */
export const everyValue: LexRange = { min: `[${numberPrefix}`, max: `(${tagPrefix}` };

function between(condition: {
  gt?: number | string;
  gte?: number | string;
  lt?: number | string;
  lte?: number | string;
}): LexRange {
  const { gt, gte, lt, lte } = condition;
  const bound = gt ?? gte ?? lt ?? lte;
  if (bound === undefined) return everyValue;
  const kind = typeof bound === 'number' ? numberPrefix : textPrefix;
  let min = `[${kind}`;
  let max = `(${typeof bound === 'number' ? textPrefix : tagPrefix}`;
  if (gt !== undefined) min = `[${encodeValue(gt)}${afterEnd}`;
  else if (gte !== undefined) min = `[${encodeValue(gte)}${endMark}`;
  if (lt !== undefined) max = `(${encodeValue(lt)}${endMark}`;
  else if (lte !== undefined) max = `(${encodeValue(lte)}${afterEnd}`;
  return { min, max };
}

export interface Lookup {
  index: string;
  ranges: LexRange[];
  /** Set when all entries have one value: then they stand in the order of their keys. */
  value: string | null;
  /** Whether a row stands in the ranges at most once. */
  distinct: boolean;
}

/** Where the rows of one condition stand. */
export function lookupOf(condition: Condition): Lookup {
  const { index } = condition;
  if ('eq' in condition)
    return { index, ranges: [exactly(encodeValue(condition.eq))], value: encodeValue(condition.eq), distinct: true };
  if ('has' in condition)
    return { index, ranges: [exactly(encodeTag(condition.has))], value: encodeTag(condition.has), distinct: true };
  if ('in' in condition) {
    const values = [...new Set(condition.in.map(encodeValue))];
    return { index, ranges: values.map(exactly), value: values.length === 1 ? values[0]! : null, distinct: true };
  }
  if ('startsWith' in condition) {
    const ranges = [tagPrefix, textPrefix].map((kind) => ({
      min: `[${kind}${escaped(condition.startsWith)}`,
      max: `(${kind}${escaped(condition.startsWith)}${lastCharacter}`,
    }));
    return { index, ranges, value: null, distinct: false };
  }
  return { index, ranges: [between(condition)], value: null, distinct: true };
}

/** The key at the end of an index's member. */
export function keyOf(member: string): string {
  return member.slice(member.indexOf(endMark) + 1);
}

/** The bound just after (or, going down, just before) a place in an index. */
export function positionOf(encoded: string, key: string): string {
  return `(${encoded}${endMark}${key}`;
}

/** Order of Redis: by UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: number | string, b: number | string): number {
  return compareText(encodeValue(a), encodeValue(b));
}

/** Whether a row with these index values meets the condition; the same as standing in its lookup's ranges. */
export function meets(values: Readonly<Record<string, IndexValue>>, condition: Condition): boolean {
  const value = values[condition.index];
  if (value === undefined) return false;
  if (typeof value === 'object') {
    if ('has' in condition) return value.includes(condition.has);
    return 'startsWith' in condition && value.some((tag) => tag.startsWith(condition.startsWith));
  }
  if ('has' in condition) return false;
  if ('startsWith' in condition) return typeof value === 'string' && value.startsWith(condition.startsWith);
  if ('eq' in condition) return value === condition.eq;
  if ('in' in condition) return condition.in.includes(value);
  const { gt, gte, lt, lte } = condition;
  if ([gt, gte, lt, lte].some((bound) => bound !== undefined && typeof bound !== typeof value)) return false;
  return (
    (gt === undefined || compareValues(value, gt) > 0) &&
    (gte === undefined || compareValues(value, gte) >= 0) &&
    (lt === undefined || compareValues(value, lt) < 0) &&
    (lte === undefined || compareValues(value, lte) <= 0)
  );
}
