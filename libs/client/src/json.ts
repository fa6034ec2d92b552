/** JSON that the contract leaves open. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json };

/** What the contract says of a value and its type does not. */
export function typed<Type>(value: unknown): Type {
  return value as Type;
}
