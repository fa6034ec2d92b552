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
  /** Carries the type only; never set. */
  readonly data?: D;
}

export type EventDeclarations = Record<string, EventDeclaration<unknown>>;

/** Takes the current version and, for each older one, the function that lifts its data by one version. */
export function event<D>(
  version: number,
  upcasters: Record<number, (data: JsonObject) => JsonObject> = {},
): EventDeclaration<D> {
  for (let older = 1; older < version; older += 1) {
    if (!upcasters[older]) throw new Error(`no upcaster from version ${older}`);
  }
  return { version, upcasters };
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

/** As `upcast`, of a recorded event: its metadata says the version, and events without one are of the first. */
export function upcastRecorded(
  declarations: EventDeclarations,
  { type, data, meta }: Pick<RecordedEvent, 'type' | 'data' | 'meta'>,
): AnyEvent {
  return upcast(declarations, type, data, Number(meta.schema_version ?? '1'));
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
