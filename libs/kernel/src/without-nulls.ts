/** The members that are not null, in their order: how a record becomes JSON that leaves out what is not there. */
export function withoutNulls<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], null> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as {
    [Name in keyof T]?: Exclude<T[Name], null>;
  };
}
