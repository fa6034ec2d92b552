import { ValidateBy } from 'class-validator';
import type { ValidationOptions } from 'class-validator';
import { isLongerThan, jsonBytes } from '@aos/kernel';
import { notAllowedHere } from './rules-pipe.js';

type Check = (value: unknown) => boolean;

/** A rule that an absent value never breaks: whether it may be absent is the schema's business. */
function rule(name: string, message: string, isKept: Check, options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name,
      validator: {
        validate: (value: unknown) => value === undefined || value === null || isKept(value),
        defaultMessage: () => message,
      },
    },
    options,
  );
}

/** Text of at most so many UTF-8 bytes. */
export function Utf8BytesMax(bytesMax: number): PropertyDecorator {
  return rule(
    'utf8BytesMax',
    `must not be over ${bytesMax} UTF-8 bytes`,
    (value) => typeof value !== 'string' || Buffer.byteLength(value) <= bytesMax,
  );
}

/** A value whose JSON text has at most so many UTF-8 bytes. */
export function JsonBytesMax(bytesMax: number): PropertyDecorator {
  return rule('jsonBytesMax', `must not be over ${bytesMax} bytes as JSON`, (value) => jsonBytes(value) <= bytesMax);
}

/** A value nested at most so deep; an object of scalars has depth 1. */
export function JsonDepthMax(depthMax: number): PropertyDecorator {
  return rule('jsonDepthMax', `must not be nested more than ${depthMax} levels deep`, (value) =>
    depthWithin(value, depthMax),
  );
}

/** An object whose members of these names, where it has them, are of their form; others may be anything. */
export function MemberForms(forms: Readonly<Record<string, Check>>): PropertyDecorator {
  const names = Object.keys(forms);
  return rule('memberForms', `must have the contract's form in ${names.join(', ')}, where it has them`, (value) =>
    names.every((name) => {
      const member =
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined;
      return member === undefined || forms[name]?.(member) === true;
    }),
  );
}

/** A list of objects of which no two have the same value of a member. */
export function UniqueBy(member: string): PropertyDecorator {
  return rule('uniqueBy', `must not repeat a ${member}`, (value) => {
    const values = membersOf(value, member).filter((each) => each !== undefined);
    return new Set(values).size === values.length;
  });
}

/** A list of objects whose texts of one member have at most so many UTF-8 bytes together. */
export function TotalUtf8BytesMax(member: string, bytesMax: number): PropertyDecorator {
  return rule('totalUtf8BytesMax', `must not be over ${bytesMax} UTF-8 bytes in all`, (value) => {
    const total = membersOf(value, member).reduce<number>(
      (sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0),
      0,
    );
    return total <= bytesMax;
  });
}

const tagsMax = 8;
const tagKeyLengthMax = 128;
const tagValueLengthMax = 256;
const reservedTagPrefix = 'svc:';

/**
 * Tags of rule L12: 8 entries, keys 1 to 128, values up to 256 characters, prefix `svc:` reserved (`invalid_argument`).
 */
export function TagRules(): PropertyDecorator {
  const counted = rule(
    'tagSizes',
    `must have at most ${tagsMax} entries, keys of 1 to ${tagKeyLengthMax} ` +
      `and values of at most ${tagValueLengthMax} characters`,
    (value) => {
      const entries = tagsOf(value);
      return (
        entries.length <= tagsMax &&
        entries.every(
          ([key, text]) =>
            key !== '' &&
            !isLongerThan(key, tagKeyLengthMax) &&
            (typeof text !== 'string' || !isLongerThan(text, tagValueLengthMax)),
        )
      );
    },
  );
  const unreserved = rule(
    'tagPrefix',
    `must not use the reserved prefix ${reservedTagPrefix}`,
    (value) => tagsOf(value).every(([key]) => !key.startsWith(reservedTagPrefix)),
    { context: notAllowedHere },
  );
  return (target, property) => {
    counted(target, property);
    unreserved(target, property);
  };
}

function tagsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function membersOf(value: unknown, member: string): unknown[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[member] : undefined,
  );
}

/** Looks no deeper than it asks, so that deep values cost no stack, and makes no list of what it has looked at. */
export function depthWithin(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depthMax <= 0) return false;
  if (Array.isArray(value)) return value.every((entry) => depthWithin(entry, depthMax - 1));
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) if (!depthWithin(members[name], depthMax - 1)) return false;
  return true;
}
