/**
 * The values that were last set or got, by name: at most `max`, and at least the newest half of that.
 *
 * Two generations, so that making room is one step however many there are: a map that lets its oldest entry go on each
 * insertion walks past all that went before. With `weigh`, the values of one generation weigh at most half of
 * `weightMax`, and one more; a value must weigh the same until it is deleted or set again. With `isInUse`, a value of
 * which it says so stays besides, however many others come.
 */
export class GenerationalCache<V> {
  private young = new Map<string, V>();
  private old = new Map<string, V>();
  private readonly half: number;
  private youngWeight = 0;

  constructor(
    max: number,
    private readonly weights: { weightMax: number; weigh: (value: V) => number } | null = null,
    private readonly isInUse: ((value: V) => boolean) | null = null,
  ) {
    this.half = Math.ceil(max / 2);
  }

  get(name: string): V | undefined {
    const value = this.young.get(name);
    if (value !== undefined) return value;
    const older = this.old.get(name);
    if (older !== undefined) this.put(name, older, 0);
    return older;
  }

  set(name: string, value: V): void {
    this.put(name, value, this.weightOfYoung(name));
  }

  delete(name: string): void {
    this.youngWeight -= this.weightOfYoung(name);
    this.young.delete(name);
    this.old.delete(name);
  }

  deleteWhere(test: (value: V) => boolean): void {
    for (const [name, value] of this.young) {
      if (!test(value)) continue;
      this.youngWeight -= this.weightOfYoung(name);
      this.young.delete(name);
    }
    for (const [name, value] of this.old) if (test(value)) this.old.delete(name);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.youngWeight = 0;
  }

  private put(name: string, value: V, weightBefore: number): void {
    if (this.weights) this.youngWeight += this.weights.weigh(value) - weightBefore;
    this.young.set(name, value);
    if (this.young.size < this.half && (!this.weights || this.youngWeight <= this.weights.weightMax / 2)) return;
    const leaving = this.old;
    this.old = this.young;
    this.young = new Map();
    this.youngWeight = 0;
    if (!this.isInUse) return;
    for (const [kept, used] of leaving) if (this.isInUse(used) && !this.old.has(kept)) this.old.set(kept, used);
  }

  private weightOfYoung(name: string): number {
    const value = this.weights ? this.young.get(name) : undefined;
    return this.weights && value !== undefined ? this.weights.weigh(value) : 0;
  }
}
