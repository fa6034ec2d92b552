import type { Json, JsonObject } from '@aos/kernel';

/** The values that a condition reads. */
export interface Looked {
  event: JsonObject;
  meta: JsonObject;
}

type Check = (looked: Looked) => Json | undefined;
interface Token {
  kind: 'text' | 'number' | 'word' | 'sign';
  value: string;
}

/** Signs and words of one condition; and how deep parentheses go. Ours. */
const tokensMax = 200;
const depthMax = 20;

/** Text that is no condition; the message says what was expected. */
export class ConditionFault extends Error {}

/**
 * Reads a routine's condition.
 *
 * The expression compares members of the event and its meta with values: `event.status == "completed" && meta.kind !=
 * 'form'`. It knows `== != < <= > >=`, `in` with a list, `contains`, `starts_with`, `ends_with`, `&& || !` (or `and or
 * not`), parentheses, texts, numbers, `true`, `false`, `null`, and paths such as `event.data.tags[0]`. A bare word is a
 * text, so that `event.consumer_kind == none` reads as the documentation writes it. A member that is not there is
 * `null`; `<` and its like hold between two numbers or two texts only. A condition never fails and never loops: it is
 * read once, without code.
 *
 * Gives    a predicate.
 * Refuses  `ConditionFault` for anything else.
 */
export function parseCondition(text: string): (looked: Looked) => boolean {
  const check = new Parser(tokensOf(text)).whole();
  return (looked) => isTrue(check(looked));
}

/** Space, a text in double or single quotes, a number, a word, a sign. */
const tokenPattern = [
  /\s+/,
  /"((?:[^"\\]|\\.)*)"/,
  /'((?:[^'\\]|\\.)*)'/,
  /(-?\d+(?:\.\d+)?)(?![\w.])/,
  /([A-Za-z_][\w-]*)/,
  /(==|!=|<=|>=|&&|\|\||[<>!().,[\]])/,
]
  .map(({ source }) => source)
  .join('|');

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(tokenPattern, 'y');
  while (pattern.lastIndex < text.length) {
    const from = pattern.lastIndex;
    const found = pattern.exec(text);
    if (!found) throw new ConditionFault(`nothing begins at character ${from + 1}`);
    const [, double, single, number, word, sign] = found;
    if (double !== undefined || single !== undefined)
      tokens.push({ kind: 'text', value: (double ?? single ?? '').replaceAll(/\\(.)/g, '$1') });
    else if (number !== undefined) tokens.push({ kind: 'number', value: number });
    else if (word !== undefined) tokens.push({ kind: 'word', value: word });
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign });
    if (tokens.length > tokensMax) throw new ConditionFault(`it has more than ${tokensMax} parts`);
  }
  return tokens;
}

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'contains', 'starts_with', 'ends_with']);

class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Check {
    const check = this.either();
    if (this.at < this.tokens.length) throw new ConditionFault(`${this.tokens[this.at]?.value ?? ''} was not expected`);
    return check;
  }

  private either(): Check {
    let left = this.both();
    while (this.takes('||', 'or')) {
      const [first, second] = [left, this.both()];
      left = (looked) => isTrue(first(looked)) || isTrue(second(looked));
    }
    return left;
  }

  private both(): Check {
    let left = this.single();
    while (this.takes('&&', 'and')) {
      const [first, second] = [left, this.single()];
      left = (looked) => isTrue(first(looked)) && isTrue(second(looked));
    }
    return left;
  }

  private single(): Check {
    if (!this.takes('!', 'not')) return this.comparison();
    this.deeper();
    const inner = this.single();
    this.depth -= 1;
    return (looked) => !isTrue(inner(looked));
  }

  private comparison(): Check {
    const left = this.value();
    const operator = this.tokens[this.at];
    if (!operator || operator.kind === 'text' || operator.kind === 'number' || !comparisons.has(operator.value))
      return left;
    this.at += 1;
    const right = this.value();
    return (looked) => compared(left(looked) ?? null, operator.value, right(looked) ?? null);
  }

  private value(): Check {
    const token = this.tokens[this.at];
    if (!token) throw new ConditionFault('a value is missing at the end');
    this.at += 1;
    if (token.kind === 'text') return () => token.value;
    if (token.kind === 'number') return () => Number(token.value);
    if (token.kind === 'sign') {
      if (token.value === '(') return this.grouped();
      if (token.value === '[') return this.list();
      throw new ConditionFault(`a value was expected instead of ${token.value}`);
    }
    if (token.value === 'true' || token.value === 'false') return () => token.value === 'true';
    if (token.value === 'null') return () => null;
    return token.value === 'event' || token.value === 'meta' ? this.path(token.value) : () => token.value;
  }

  private grouped(): Check {
    this.deeper();
    const inner = this.either();
    this.depth -= 1;
    this.expect(')');
    return inner;
  }

  private list(): Check {
    const items: Check[] = [];
    this.deeper();
    for (let isFirst = true; !this.takes(']'); isFirst = false) {
      if (!isFirst) this.expect(',');
      items.push(this.value());
    }
    this.depth -= 1;
    return (looked) => items.map((item) => item(looked) ?? null);
  }

  private path(root: 'event' | 'meta'): Check {
    const members: string[] = [];
    for (;;) {
      if (this.takes('.')) {
        members.push(this.named('word'));
      } else if (this.takes('[')) {
        const token = this.tokens[this.at];
        members.push(this.named(token?.kind === 'number' ? 'number' : 'text'));
        this.expect(']');
      } else {
        return (looked) => members.reduce<Json | undefined>(memberOf, looked[root]);
      }
    }
  }

  private named(kind: Token['kind']): string {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) throw new ConditionFault('the name of a member was expected');
    this.at += 1;
    return token.value;
  }

  private takes(...values: string[]): boolean {
    const token = this.tokens[this.at];
    if (!token || token.kind === 'text' || !values.includes(token.value)) return false;
    this.at += 1;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) throw new ConditionFault(`${sign} is missing`);
  }

  private deeper(): void {
    this.depth += 1;
    if (this.depth > depthMax) throw new ConditionFault(`it is nested more than ${depthMax} levels deep`);
  }
}

function memberOf(value: Json | undefined, member: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(member)];
  return typeof value === 'object' && value !== null && Object.hasOwn(value, member) ? value[member] : undefined;
}

function isTrue(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0 && value !== '';
}

function compared(left: Json, operator: string, right: Json): boolean {
  switch (operator) {
    case '==':
      return same(left, right);
    case '!=':
      return !same(left, right);
    case 'in':
      return Array.isArray(right) && right.some((item) => same(item, left));
    case 'contains':
      return Array.isArray(left)
        ? left.some((item) => same(item, right))
        : bothTexts(left, right, (one, other) => one.includes(other));
    case 'starts_with':
      return bothTexts(left, right, (one, other) => one.startsWith(other));
    case 'ends_with':
      return bothTexts(left, right, (one, other) => one.endsWith(other));
    default:
      return ordered(left, operator, right);
  }
}

function same(left: Json, right: Json): boolean {
  return typeof left === 'object' && left !== null ? JSON.stringify(left) === JSON.stringify(right) : left === right;
}

function bothTexts(left: Json, right: Json, holds: (one: string, other: string) => boolean): boolean {
  return typeof left === 'string' && typeof right === 'string' && holds(left, right);
}

function ordered(left: Json, operator: string, right: Json): boolean {
  const isComparable =
    (typeof left === 'number' && typeof right === 'number') || (typeof left === 'string' && typeof right === 'string');
  if (!isComparable) return false;
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    default:
      return left >= right;
  }
}
