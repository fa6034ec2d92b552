import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { Clock } from '@aos/kernel';
import { resolvedPrefix } from '@aos/platform';

const everyMs = 5_000;
const replicasMax = 100;
const defaultPort = 80;

/** The addresses that a name has now. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/**
 * Where the replicas of each service are: as the settings say, and for a URL that begins with `dns+` at every address
 * that its name has, asked for every five seconds.
 *
 * Promises: the list of a service is the same one until it changes; a name that is not found, or has no address, keeps
 * the addresses that it had; one that was never found stands for itself.
 */
export class ReplicaAddresses {
  private readonly lists = new Map<string, readonly string[]>();
  private readonly found = new Map<string, readonly string[]>();
  private readonly names: readonly string[];
  private readonly listeners: (() => void)[] = [];
  private timer: { cancel(): void } | null = null;
  private isClosed = false;

  constructor(
    private readonly given: Readonly<Record<string, readonly string[]>>,
    private readonly clock: Clock,
    private readonly resolve: Resolve = addressesOf,
  ) {
    this.names = [...new Set(Object.values(given).flat())].filter((url) => url.startsWith(resolvedPrefix));
    for (const service of Object.keys(given)) this.lists.set(service, this.listOf(service));
    if (this.names.length > 0) this.later(0);
  }

  of(service: string): readonly string[] {
    return this.lists.get(service) ?? [];
  }

  get all(): readonly string[] {
    return [...new Set([...this.lists.values()].flat())];
  }

  /** Calls `listener` whenever a list has changed. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private later(ms: number): void {
    if (this.isClosed) return;
    this.timer = this.clock.after(ms, () => {
      void this.lookAll().then(() => {
        this.later(everyMs);
      });
    });
  }

  private async lookAll(): Promise<void> {
    await Promise.all(this.names.map((url) => this.look(url)));
    let isChanged = false;
    for (const [service, before] of this.lists) {
      const now = this.listOf(service);
      if (now.join() === before.join()) continue;
      this.lists.set(service, now);
      isChanged = true;
    }
    if (isChanged && !this.isClosed) for (const listener of this.listeners) listener();
  }

  private async look(url: string): Promise<void> {
    const { hostname, port } = new URL(url.slice(resolvedPrefix.length));
    // a name server that is away says nothing about the replicas
    const addresses = await this.resolve(hostname).catch(() => []);
    if (addresses.length === 0) return;
    const urls = addresses.map((address) => `http://${hostOf(address)}:${port === '' ? defaultPort : port}`);
    this.found.set(url, [...new Set(urls)].sort().slice(0, replicasMax));
  }

  private listOf(service: string): readonly string[] {
    return (this.given[service] ?? []).flatMap((url) =>
      url.startsWith(resolvedPrefix) ? (this.found.get(url) ?? [url.slice(resolvedPrefix.length)]) : [url],
    );
  }
}

async function addressesOf(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function hostOf(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
