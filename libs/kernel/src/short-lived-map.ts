/**
 * Values by name that soon go again, such as what is under way.
 *
 * Not a `Map`: one that is filled and emptied all the time leaves each table that it outgrew linked to the next, and
 * once one of them has grown old, whatever went through the later ones lives until the next full collection. The table
 * behind an object has no such link.
 */
export class ShortLivedMap<V extends NonNullable<unknown>> {
  private named = Object.create(null) as Record<string, V | undefined>;
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(name: string): V | undefined {
    return this.named[name];
  }

  has(name: string): boolean {
    return this.named[name] !== undefined;
  }

  set(name: string, value: V): void {
    if (this.named[name] === undefined) this.count += 1;
    this.named[name] = value;
  }

  /** Gives whether it was there. */
  delete(name: string): boolean {
    if (this.named[name] === undefined) return false;
    delete this.named[name];
    this.count -= 1;
    return true;
  }

  clear(): void {
    this.named = Object.create(null) as Record<string, V | undefined>;
    this.count = 0;
  }

  /** What is there now. */
  names(): string[] {
    return Object.keys(this.named);
  }

  values(): V[] {
    return Object.values(this.named) as V[];
  }

  entries(): [string, V][] {
    return Object.entries(this.named) as [string, V][];
  }
}
