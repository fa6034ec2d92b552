type Listener = () => void;

/**
 * Values by key for views that each watch one of them: a change of one value calls the listeners of its key alone, and
 * only when the store is flushed.
 */
export class KeyedStore<Value> {
  private readonly values = new Map<string, Value>();
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly changed = new Set<string>();

  get size(): number {
    return this.values.size;
  }

  get(key: string): Value | undefined {
    return this.values.get(key);
  }

  has(key: string): boolean {
    return this.values.has(key);
  }

  all(): IterableIterator<Value> {
    return this.values.values();
  }

  set(key: string, value: Value): void {
    if (this.values.get(key) === value) return;
    this.values.set(key, value);
    this.changed.add(key);
  }

  delete(key: string): void {
    if (this.values.delete(key)) this.changed.add(key);
  }

  /** Calls the listener after changes of the value. Gives what stops that. */
  subscribe(key: string, listener: Listener): () => void {
    const watching = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, watching.add(listener));
    return () => {
      watching.delete(listener);
      if (watching.size === 0 && this.listeners.get(key) === watching) this.listeners.delete(key);
    };
  }

  /** Calls the listeners of all values that changed since the last flush. */
  flush(): void {
    const keys = [...this.changed];
    this.changed.clear();
    for (const key of keys) for (const listener of [...(this.listeners.get(key) ?? [])]) listener();
  }
}
