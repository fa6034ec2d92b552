import { NODATA, NOTFOUND, SERVFAIL, promises } from 'node:dns';
import { FairQueue, GenerationalCache, OrganizationSlots, type Clock } from '@aos/kernel';
import { SystemNames, type ResolvedAddress } from './system-names.js';

export interface NameResolverOptions {
  clock: Clock;
  /** In place of the system's name servers: `address:port`. */
  servers?: readonly string[];
  names?: SystemNames;
}

/** `orgId`: whose look-up it is; the service's own are one group more. `signal`: ends it at once, asked or waiting. */
export interface ResolveFor {
  orgId: string | undefined;
  signal: AbortSignal;
}

/** One look-up, its search list included, takes no longer. */
const lookupMs = 10_000;
/** A name that has no address, or whose servers did not answer, is not asked for again so soon. */
const missingMs = 5_000;
const missingKeptMax = 5_000;
/** Look-ups under way and waiting, of one organization and of all together. */
const runningBounds = { all: 128, perOrganization: 8 };
const waitingPerOrganizationMax = 256;
const waitingMax = 4_096;

/** The next full name of a search list is tried after these. */
const triesNext: ReadonlySet<unknown> = new Set([NOTFOUND, NODATA, SERVFAIL]);

/** A name without an address here and now. */
export class NameNotResolved extends Error {}

interface Waiting {
  orgId: string;
  signal: AbortSignal;
  go: () => void;
}

/**
 * Names to addresses, over c-ares: libuv's pool, on which the whole process reads and writes files, has no part in it.
 *
 * As the system's own way does, it takes the hosts file first and follows the search list of `resolv.conf`. Each
 * look-up has its own channel, so that it ends with its caller. Organizations take turns: names that hang hold up their
 * own organization alone.
 */
export class NameResolver {
  private readonly names: SystemNames;
  private readonly waiting = new FairQueue<Waiting>(waitingPerOrganizationMax, waitingMax);
  private readonly running = new OrganizationSlots(runningBounds);
  private readonly missingUntil = new GenerationalCache<number>(missingKeptMax);

  constructor(private readonly options: NameResolverOptions) {
    this.names = options.names ?? new SystemNames();
  }

  /** Gives every address. Rejects with the signal's reason, or with `NameNotResolved`. */
  async resolve(name: string, { orgId = '', signal }: ResolveFor): Promise<ResolvedAddress[]> {
    const known = this.names.addresses(name);
    if (known.length > 0) return known;
    const { clock } = this.options;
    if ((this.missingUntil.get(name) ?? 0) > clock.monotonic())
      throw new NameNotResolved('the name had no address a moment ago');
    await this.turn(orgId, signal);
    try {
      return await this.lookUp(name, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.missingUntil.set(name, clock.monotonic() + missingMs);
      throw new NameNotResolved('the name has no address', { cause: error });
    } finally {
      this.ended(orgId);
    }
  }

  private async turn(orgId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.running.hasRoom(orgId)) {
      this.running.take(orgId);
      return;
    }
    if (!this.waiting.hasRoom(orgId)) throw new NameNotResolved('too many names are being resolved');
    await new Promise<void>((resolve, reject) => {
      const gone = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', gone, { once: true });
      this.waiting.push(orgId, {
        orgId,
        signal,
        go: () => {
          signal.removeEventListener('abort', gone);
          resolve();
        },
      });
    });
  }

  /** Who waits and was given up keeps its place in the line until here, and no longer. */
  private ended(orgId: string): void {
    this.running.free(orgId);
    const next = () => this.waiting.shift((waitingOrgId) => this.running.hasRoom(waitingOrgId));
    for (let one = next(); one; one = next()) {
      if (one.signal.aborted) continue;
      this.running.take(one.orgId);
      one.go();
    }
  }

  private async lookUp(name: string, signal: AbortSignal): Promise<ResolvedAddress[]> {
    const resolver = new promises.Resolver();
    if (this.options.servers) resolver.setServers(this.options.servers);
    const cancel = () => {
      resolver.cancel();
    };
    const timer = this.options.clock.after(lookupMs, cancel);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.searched(resolver, name);
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', cancel);
    }
  }

  private async searched(resolver: promises.Resolver, name: string): Promise<ResolvedAddress[]> {
    let last: unknown = new Error('no name to ask for');
    for (const fullName of this.names.fullNames(name)) {
      try {
        return await this.asked(resolver, fullName);
      } catch (error) {
        last = error;
        if (!triesNext.has((error as NodeJS.ErrnoException).code)) break;
      }
    }
    throw last;
  }

  /**
   * Both families at once. One that fails does not matter while the other has addresses: only what was found is
   * connected to.
   */
  private async asked(resolver: promises.Resolver, fullName: string): Promise<ResolvedAddress[]> {
    const [four, six] = await Promise.allSettled([resolver.resolve4(fullName), resolver.resolve6(fullName)]);
    const first = this.names.firstFamily;
    const found = alternating(
      first === 4 ? [addressesOf(four, 4), addressesOf(six, 6)] : [addressesOf(six, 6), addressesOf(four, 4)],
    );
    if (found.length > 0) return found;
    const failures = [four, six].flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as NodeJS.ErrnoException] : [],
    );
    throw failures.find(({ code }) => !triesNext.has(code)) ?? failures[0] ?? new Error('no address');
  }
}

function addressesOf(outcome: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  return outcome.status === 'fulfilled' ? outcome.value.map((address) => ({ address, family })) : [];
}

/** Few addresses are tried: both families are among the first. */
function alternating([first, second]: [ResolvedAddress[], ResolvedAddress[]]): ResolvedAddress[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((address) => address !== undefined);
}
