const item = 'agent-service.key';

/** The tab's key: in memory and in `sessionStorage`, never elsewhere. Other tabs have their own. */
export class KeyStore {
  private readonly listeners = new Set<() => void>();
  private kept: string | null;
  private said: string | null = null;

  constructor(private readonly storage: Storage) {
    this.kept = storage.getItem(item);
  }

  readonly current = (): string | null => this.kept;

  /** Why the last key is gone, where the person did not ask for it. */
  readonly reason = (): string | null => this.said;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Takes a key that the service has accepted. */
  keep(key: string): void {
    this.storage.setItem(item, key);
    this.change(key, null);
  }

  forget(reason: string | null = null): void {
    this.storage.removeItem(item);
    this.change(null, reason);
  }

  private change(key: string | null, reason: string | null): void {
    this.kept = key;
    this.said = reason;
    for (const listener of this.listeners) listener();
  }
}

export const keyStore = new KeyStore(sessionStorage);
