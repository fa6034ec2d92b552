/**
 * The values that were last set or got, by name: at most `max`, and at least the newest half of that.
 *
 * Two generations, so that making room is one step however many there are: a map that lets its oldest entry go on each insertion walks past
 * all that went before.
 */
export class Recent<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();
  private readonly half: number;

  constructor(max: number) {
    this.half = Math.ceil(max / 2);
  }

  get(name: string): V | undefined {
    const value = this.young.get(name);
    if (value !== undefined) return value;
    const older = this.old.get(name);
    if (older !== undefined) this.set(name, older);
    return older;
  }

  set(name: string, value: V): void {
    this.young.set(name, value);
    if (this.young.size < this.half) return;
    this.old = this.young;
    this.young = new Map();
  }

  delete(name: string): void {
    this.young.delete(name);
    this.old.delete(name);
  }

  deleteWhere(test: (value: V) => boolean): void {
    for (const generation of [this.young, this.old]) {
      for (const [name, value] of generation) if (test(value)) generation.delete(name);
    }
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }
}
