import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';
import type { Recorded } from '../definition/definition.events.js';

export type ActionEndpointKind = 'http' | 'worker';
export type InvocationFormat = 'legacy' | 'signed_context_v1';
/** `long_running` comes from blueprints only (rule R26). */
export type ActionAnnotations = {
  idempotent?: boolean;
  destructive?: boolean;
  read_only?: boolean;
  long_running?: boolean;
};

/** A signing secret at rest: sealed for this organization, action and version. */
export type SealedSecret = { version: number; sealed: string };

/** Secrets of an http action. The previous one is valid to receivers until its time has passed (rule R25). */
export type ActionSigning = SealedSecret & { previous: (SealedSecret & { valid_until: string }) | null };

/** A custom action that agents can call as a tool. Absent: not set. */
export type ActionDefinition = {
  name: string;
  title?: string;
  description?: string;
  endpoint_kind: ActionEndpointKind;
  endpoint_url?: string;
  /** Each call is made with a connection of this provider. */
  provider?: string;
  invocation_format: InvocationFormat;
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  annotations: ActionAnnotations;
  tags: Record<string, string>;
  /** Made by the service; http actions only. */
  signing?: ActionSigning;
};

type ActionRecorded = Recorded<ActionDefinition>;

/** Each carries the whole record; the last three are written by blueprints. */
export const actionEvents = defineEvents({
  ActionCreated: event<ActionRecorded>(1),
  ActionConfigured: event<ActionRecorded>(1),
  ActionSecretRotated: event<ActionRecorded>(1),
  /** The same secrets under another master key. */
  ActionSecretResealed: event<ActionRecorded>(1),
  ActionDeleted: event<ActionRecorded>(1),
  ProtectionSet: event<ActionRecorded>(1),
  BindingAttached: event<ActionRecorded>(1),
  BindingDetached: event<ActionRecorded>(1),
});
export type ActionEvent = EventOf<typeof actionEvents>;
