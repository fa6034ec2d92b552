/** The text a field holds after a change: absent keeps, empty clears. */
export function text(desired: string | undefined, current: string | undefined): string | undefined {
  if (desired === undefined) return current;
  return desired === '' ? undefined : desired;
}

/** The same object without the members that are not set, as it is stored. */
export function withoutUnset<T extends object>(fields: T): T {
  for (const field of Object.keys(fields) as (keyof T)[]) if (fields[field] === undefined) delete fields[field];
  return fields;
}
