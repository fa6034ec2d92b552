/** These members of a thing, without those that are undefined. */
export function membersOf<Thing extends object>(thing: Thing, names: readonly (keyof Thing)[]): Partial<Thing> {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, thing[name]])))) as Partial<Thing>;
}
