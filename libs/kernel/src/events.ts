import type { JsonObject } from './json.js';
import type { RecordedEvent } from './ports/event-store.js';

/**
 * One declaration per event: its data's shape, its version, and pure functions that lift older data.
 *
 * `defineEvents({ TurnQueued: event<TurnQueuedData>(2, { 1: addQueuedAt }) })` says that version 1 was once written and
 * how it reads today. A golden file per (type, version) is folded by a test, so that a change that breaks an old log
 * does not pass.
 */
export interface EventDeclaration<D> {
  readonly version: number;
  readonly upcasters: Readonly<Record<number, (data: JsonObject) => JsonObject>>;
  /**
   * The feature whose event it is, where the release before does not read it: refused under `SVC_WRITES=previous` (rule
   * VER7). The next release takes it away.
   */
  readonly since?: string;
  /** A list of records that the fold reads: of what is too large for the log only their lists and objects leave. */
  readonly records?: string;
  /** Carries the type only; never set. */
  readonly data?: D;
}

export type EventDeclarations = Record<string, EventDeclaration<unknown>>;

/**
 * Takes the current version; for each older one, the function that lifts its data by one version; `since` with the
 * feature, for an event that the release before does not read; `records` with the member whose records the fold reads.
 */
export function event<D>(
  version: number,
  upcasters: Record<number, (data: JsonObject) => JsonObject> = {},
  { since, records }: { since?: string; records?: string } = {},
): EventDeclaration<D> {
  for (let older = 1; older < version; older += 1) {
    if (!upcasters[older]) throw new Error(`no upcaster from version ${older}`);
  }
  return {
    version,
    upcasters,
    ...(since === undefined ? {} : { since }),
    ...(records === undefined ? {} : { records }),
  };
}

export function defineEvents<const T extends EventDeclarations>(declarations: T): T {
  return declarations;
}

type DataOf<T> = T extends EventDeclaration<infer D> ? D : never;

/** The union of events that a declaration allows: `{type, data}`. */
export type EventOf<T extends EventDeclarations> = {
  [K in keyof T & string]: { type: K; data: DataOf<T[K]> };
}[keyof T & string];

export interface AnyEvent {
  type: string;
  data: unknown;
}

/** An event that a reader's declarations do not know. A projection that meets one stops loudly. */
export class UnknownEvent extends Error {
  constructor(
    readonly type: string,
    readonly schemaVersion: number,
  ) {
    super(`unknown event ${type} version ${schemaVersion}`);
    this.name = 'UnknownEvent';
  }
}

/** Whether a recorded event is of a type and version that the declarations know. */
export function isKnown(
  declarations: EventDeclarations,
  { type, meta }: Pick<RecordedEvent, 'type' | 'meta'>,
): boolean {
  const declaration = declarations[type];
  return declaration !== undefined && versionOf(meta) >= 1 && versionOf(meta) <= declaration.version;
}

/** Refuses `UnknownEvent` for a recorded event of a type or version that the declarations do not know. */
export function requireKnown(declarations: EventDeclarations, event: Pick<RecordedEvent, 'type' | 'meta'>): void {
  if (!isKnown(declarations, event)) throw new UnknownEvent(event.type, versionOf(event.meta));
}

/** Its metadata says the version of an event; those without one are of the first. */
function versionOf(meta: RecordedEvent['meta']): number {
  return Number(meta.schema_version ?? '1');
}

/** What declares an event of this type and version. Refuses as `upcast`. */
export function declarationOf(
  declarations: EventDeclarations,
  type: string,
  schemaVersion: number,
): EventDeclaration<unknown> {
  const declaration = declarations[type];
  if (!declaration || schemaVersion > declaration.version || schemaVersion < 1)
    throw new UnknownEvent(type, schemaVersion);
  return declaration;
}

/** As `upcast`, of a recorded event. */
export function upcastRecorded(
  declarations: EventDeclarations,
  { type, data, meta }: Pick<RecordedEvent, 'type' | 'data' | 'meta'>,
): AnyEvent {
  return upcast(declarations, type, data, versionOf(meta));
}

/**
 * Lifts stored data to the current version.
 *
 * Takes    the declarations, the stored type, data and schema version.
 * Gives    the event as the current code knows it.
 * Refuses  `UnknownEvent` for an undeclared type or a version that is newer than this code.
 */
export function upcast(
  declarations: EventDeclarations,
  type: string,
  data: JsonObject,
  schemaVersion: number,
): AnyEvent {
  const declaration = declarationOf(declarations, type, schemaVersion);
  let current = data;
  for (let version = schemaVersion; version < declaration.version; version += 1) {
    const lift = declaration.upcasters[version];
    if (!lift) throw new UnknownEvent(type, version);
    current = lift(current);
  }
  return { type, data: current };
}
