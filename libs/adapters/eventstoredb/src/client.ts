import {
  AccessDeniedError,
  EventStoreDBClient,
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  NotLeaderError,
  StreamDeletedError,
  StreamNotFoundError,
  UnsupportedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import type { EndPoint } from '@eventstore/db-client';
import type { Duplex, Readable } from 'node:stream';

/**
 * What one client does in this process. Each purpose has a connection of its own, because a connection carries 100
 * calls and no more.
 */
export type Purpose = 'append' | 'read' | 'subscribe';

/** Parts of the client that its type does not show and that nothing else can do. */
interface Inner {
  capabilities: Promise<unknown>;
  disposableStreams: Set<Duplex | Readable>;
  getChannel(): Promise<{ close(): void }>;
  resolveUri(): Promise<string>;
}

const purposes: readonly Purpose[] = ['append', 'read', 'subscribe'];
/** The client warns below this. */
const keepAliveBaseMs = 10_000;
const generations = 300;
let made = 0;

/**
 * A client with a connection that it shares with no other: clients of equal settings share one, so the interval of the
 * keep-alive differs by purpose and by age, and a client made anew does not land on the connection its predecessor hung
 * on. The last of equal options counts, so these win over those of the URL. Every call is the leader's: other nodes
 * answer with what was.
 */
export function openClient(url: string, purpose: Purpose, deadlineMs: number): EventStoreDBClient {
  made = (made + 1) % generations;
  const keepAliveMs = keepAliveBaseMs + 1 + made * purposes.length + purposes.indexOf(purpose);
  const settings = [
    `keepAliveInterval=${keepAliveMs}`,
    `defaultDeadline=${deadlineMs}`,
    'throwOnAppendFailure=true',
    'nodePreference=leader',
  ].join('&');
  const known = knownScheme(url);
  return EventStoreDBClient.connectionString(`${known}${known.includes('?') ? '&' : '?'}${settings}`);
}

/** The URL as the client knows it. */
export function knownScheme(url: string): string {
  return url.replace(/^kurrentdb(?=(\+discover)?:)/, 'esdb');
}

/** Host and port of the node to ask: of a cluster the leader, as its nodes say. */
export function leaderAddress(client: EventStoreDBClient): Promise<string> {
  return innerOf(client).resolveUri();
}

/**
 * Resolves when the server has said what it can do: until then an append would hang in the client with no way to end
 * it.
 */
export async function connected(client: EventStoreDBClient): Promise<void> {
  await innerOf(client).capabilities;
}

/** Closes the connection; calls on it end by themselves. */
export async function closeChannel(client: EventStoreDBClient): Promise<void> {
  const channel = await innerOf(client).getChannel();
  channel.close();
}

/** Breaks calls off for which the client's own `dispose` finds no end: those that the server ended without an error. */
export function destroyCalls(client: EventStoreDBClient): void {
  for (const call of innerOf(client).disposableStreams) call.destroy(new Error('the call was given up'));
}

/** The client's own parts, which its types do not show. */
function innerOf(client: EventStoreDBClient): Inner {
  return client as unknown as Inner;
}

/** The leader that a node named which is none itself; null for any other error. */
export function redirectOf(error: unknown): EndPoint | null {
  return error instanceof NotLeaderError ? error.leader : null;
}

/**
 * The account, or what it may do, is not enough; gRPC codes 7 and 16 are the same where the client has no class for
 * them.
 */
export function isDenied(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return error instanceof AccessDeniedError || code === 7 || code === 16;
}

/** What an error of the client means to us. */
export type Verdict =
  | { kind: 'conflict'; actual: number | 'none' }
  | { kind: 'not_found' }
  | { kind: 'too_large' }
  /** Repeating cannot help. */
  | { kind: 'refused' }
  /**
   * The outcome is unknown: unavailable, cancelled, out of time, a new leader, or something that the client has no
   * name for.
   */
  | { kind: 'unknown' };

// invalid argument, permission denied, unimplemented, unauthenticated
const refusedCodes: ReadonlySet<number> = new Set([3, 7, 12, 16]);

/** Some errors arrive as the client's classes and some raw, with nothing but a gRPC code. */
export function verdictOf(error: unknown): Verdict {
  if (error instanceof WrongExpectedVersionError) {
    return { kind: 'conflict', actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : 'none' };
  }
  if (error instanceof StreamNotFoundError) return { kind: 'not_found' };
  if (error instanceof MaxAppendSizeExceededError) return { kind: 'too_large' };
  for (const type of [AccessDeniedError, InvalidArgumentError, StreamDeletedError, UnsupportedError]) {
    if (error instanceof type) return { kind: 'refused' };
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'number' && refusedCodes.has(code) ? { kind: 'refused' } : { kind: 'unknown' };
}
