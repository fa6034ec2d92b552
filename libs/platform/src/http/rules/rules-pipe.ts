import { Body } from '@nestjs/common';
import type { PipeTransform } from '@nestjs/common';
import { ValidationTypes, getMetadataStorage, validateSync } from 'class-validator';
import type { ValidationError } from 'class-validator';
import { badRequest, invalidArgument } from '@aos/kernel';
import type { Issue } from '@aos/kernel';
import { issuesMax, pointerPart } from '../contract/issues.js';
import { instantiate, isObject, nestedMembers } from './nested.js';

type Constructor<T extends object = object> = new () => T;

/** Context of a rule whose breach is one well-formed value that is not allowed (rule G26). */
export const notAllowedHere = { notAllowedHere: true } as const;

/**
 * Turns a body that already has the contract's shape into its class and runs the rules that a schema cannot say.
 * No rule runs on a member that is absent or null: whether it may be is the schema's business.
 *
 * Refuses  `bad_request` with issues; `invalid_argument` when only rules marked `NOT_ALLOWED_HERE` are broken.
 */
export class RulesPipe<T extends object> implements PipeTransform<unknown, T> {
  constructor(private readonly type: Constructor<T>) {
    assertNestedAreKnown(type, new Set());
  }

  transform(body: unknown): T {
    const made = instantiate(this.type, isObject(body) ? body : {});
    if (!hasRuledMember(made)) return made;
    const errors = validateSync(made, {
      skipMissingProperties: true,
      whitelist: false,
      forbidUnknownValues: false,
      validationError: { target: false, value: false },
    });
    if (errors.length === 0) return made;
    const broken = flattened(errors, '');
    const bad = broken.filter(({ isNotAllowed }) => !isNotAllowed);
    const [first] = broken;
    if (bad.length === 0 && first) throw invalidArgument(first.path.slice(1).replaceAll('/', '.'), first.message);
    throw badRequest(bad.slice(0, issuesMax).map(({ path, message }) => ({ path, message })));
  }
}

/** The body, as an instance of `type`, after its rules. */
export function RulesBody<T extends object>(type: Constructor<T>): ParameterDecorator {
  return Body(new RulesPipe(type));
}

interface Broken extends Issue {
  isNotAllowed: boolean;
}

function flattened(errors: readonly ValidationError[], at: string): Broken[] {
  return errors.flatMap((error) => {
    const path = `${at}/${pointerPart(error.property)}`;
    const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
      path,
      message: message.startsWith(`${error.property} `) ? message.slice(error.property.length + 1) : message,
      isNotAllowed: (error.contexts?.[rule] as { notAllowedHere?: boolean } | undefined)?.notAllowedHere === true,
    }));
    return [...own, ...flattened(error.children ?? [], path)];
  });
}

const ruledMembers = new Map<Constructor, ReadonlySet<string>>();

/** Members of a class that rules of their own are about; not those that only hold an object with rules. */
function ruledMembersOf(type: Constructor): ReadonlySet<string> {
  const known = ruledMembers.get(type);
  if (known) return known;
  const found = new Set<string>();
  for (const { type: kind, propertyName } of getMetadataStorage().getTargetValidationMetadatas(
    type,
    '',
    false,
    false,
  )) {
    if (kind !== ValidationTypes.NESTED_VALIDATION && kind !== ValidationTypes.CONDITIONAL_VALIDATION)
      found.add(propertyName);
  }
  ruledMembers.set(type, found);
  return found;
}

/**
 * Most bodies have no member that a rule is about: looking for one costs far less than running the rules to find that
 * out.
 */
function hasRuledMember(made: object): boolean {
  const type = made.constructor as Constructor;
  const members = made as Record<string, unknown>;
  for (const name of ruledMembersOf(type)) if (members[name] !== undefined && members[name] !== null) return true;
  for (const name of nestedMembers(type).keys()) {
    if ([members[name]].flat().some((value) => isObject(value) && hasRuledMember(value))) return true;
  }
  return false;
}

/** Rules of nested objects are silently skipped when the class is not known: then the class must not load. */
function assertNestedAreKnown(type: Constructor, seen: Set<Constructor>): void {
  if (seen.has(type)) return;
  seen.add(type);
  const known = nestedMembers(type);
  for (const { type: kind, propertyName } of getMetadataStorage().getTargetValidationMetadatas(
    type,
    '',
    false,
    false,
  )) {
    if (kind === 'nestedValidation' && !known.has(propertyName))
      throw new Error(`${type.name}.${propertyName} is validated as nested: declare it with @Nested`);
  }
  for (const nested of known.values()) assertNestedAreKnown(nested(), seen);
}
