/**
 * Values by name that soon go again, such as what is under way.
 *
 * Not a `Map`: one that is filled and emptied all the time leaves each table that it outgrew linked to the next, and
 * once one of them has grown old, whatever went through the later ones lives until the next full collection. The table
 * behind an object has no such link.
 */
export class ShortLivedMap<V> {
  private readonly values = Object.create(null) as Record<string, V | undefined>;

  get(name: string): V | undefined {
    return this.values[name];
  }

  set(name: string, value: V): void {
    this.values[name] = value;
  }

  delete(name: string): void {
    delete this.values[name];
  }
}
