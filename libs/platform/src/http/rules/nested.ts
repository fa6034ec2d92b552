import { ValidateNested } from 'class-validator';

type Constructor = new () => object;

const nestedOf = new WeakMap<object, Map<string, () => Constructor>>();

/** A member, or each entry of a list member, is an object with rules of its own. */
export function Nested(type: () => Constructor): PropertyDecorator {
  const validate = ValidateNested();
  return (target, property) => {
    validate(target, property);
    const own = nestedOf.get(target) ?? new Map<string, () => Constructor>();
    own.set(String(property), type);
    nestedOf.set(target, own);
  };
}

const membersOf = new WeakMap<Constructor, ReadonlyMap<string, () => Constructor>>();

/** Members declared with `@Nested` on a class and its parents. */
export function nestedMembers(type: Constructor): ReadonlyMap<string, () => Constructor> {
  const known = membersOf.get(type);
  if (known) return known;
  const members = new Map<string, () => Constructor>();
  for (
    let prototype = type.prototype as object | null;
    prototype && prototype !== Object.prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    for (const [name, nested] of nestedOf.get(prototype) ?? []) if (!members.has(name)) members.set(name, nested);
  }
  membersOf.set(type, members);
  return members;
}

/**
 * Makes a plain body an instance of its class, and its nested members too: the body itself, since a copy of a million
 * members that no schema declares would hold up the process.
 * Costs as much as there are declared members, whatever the size of the body.
 */
export function instantiate<T extends object>(type: new () => T, plain: object): T {
  const made = Object.setPrototypeOf(plain, type.prototype) as T;
  const members = made as Record<string, unknown>;
  // rules are found by it: a body may not name its own
  if (Object.hasOwn(members, 'constructor')) delete members['constructor'];
  for (const [name, nested] of nestedMembers(type)) {
    const value = members[name];
    if (Array.isArray(value)) {
      for (const entry of value) if (isObject(entry)) instantiate(nested(), entry);
    } else if (isObject(value)) instantiate(nested(), value);
  }
  return made;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
