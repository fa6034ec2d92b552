import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import {
  base32Number,
  canonicalJson,
  collection,
  sha256Hex,
  type Condition,
  type JsonObject,
  type Position,
  type PrincipalKind,
  type ReadRow,
  type RecordedEvent,
} from '@aos/kernel';

/** One change, as one recorded event shows it to an auditor. */
export interface AuditFact {
  /** Past-tense name, such as `role.updated`. */
  action: string;
  resource: { type: string; id: string; name: string | null };
  changedFields?: readonly string[];
  /**
   * The resource's record after the event, for its hash; null when none is left; undefined when the event does not
   * carry it.
   */
  after?: JsonObject | null;
}

/** Maps the events of some streams to audit entries. Pure; each context publishes its own (control S34). */
export interface AuditMapping {
  /** Start of the names of the streams, such as `role-`. */
  prefix: string;
  /**
   * Takes    the event and the one before it in its stream (null when that is unknown). Gives no facts for an event
   *          that auditors do not see; this never depends on the event before.
   */
  facts(event: RecordedEvent, previous: RecordedEvent | null): AuditFact[];
}

/** The audit mappings of all contexts. Contexts register theirs before the process has started. */
@Injectable()
export class AuditMappings {
  private readonly byPrefix = new Map<string, AuditMapping>();

  register(...mappings: readonly AuditMapping[]): void {
    for (const mapping of mappings) this.byPrefix.set(mapping.prefix, mapping);
  }

  get prefixes(): string[] {
    return [...this.byPrefix.keys()];
  }

  of(stream: string): AuditMapping | null {
    return this.byPrefix.get(stream.slice(0, stream.indexOf('-') + 1)) ?? null;
  }
}

export const auditCollection = 'audit@1';
export const auditEntries = collection<Schema<'AuditEntry'>>(auditCollection);
const indexDigits = 4;

/**
 * Rows of one event. The hash before is of the record as the previous event left it; null when that event was about
 * another record of the stream.
 */
export function auditRows(mapping: AuditMapping, event: RecordedEvent, previous: RecordedEvent | null): ReadRow[] {
  const { org_id: orgId, principal_id: principalId } = event.meta;
  if (!orgId || !principalId) return [];
  const before = previous ? mapping.facts(previous, null) : [];
  return mapping.facts(event, previous).map((fact, index) => {
    const id = `evt_${event.id.replaceAll('-', '')}${index === 0 ? '' : base32Number(index, 3)}`;
    const { action, resource, changedFields, after } = fact;
    const occurredAt = event.meta.recorded_at ?? '';
    const doc: Schema<'AuditEntry'> = {
      id,
      action,
      actor: {
        principal_id: principalId,
        principal_kind: (event.meta.principal_kind ?? 'system') as PrincipalKind,
        api_key_id: event.meta.api_key_id ?? null,
        ip: event.meta.ip ?? null,
      },
      resource: { ...resource },
      request_id: event.meta.request_id ?? null,
      ...(changedFields && { changed_fields: [...changedFields] }),
      before_hash: hashOf(before.find((known) => isOfOneRecord(known, fact))?.after),
      after_hash: hashOf(after),
      occurred_at: occurredAt,
    };
    return auditEntries.row({
      scope: [orgId],
      key: id,
      revision: event.revision,
      doc,
      index: {
        position: `${event.position}.${String(index).padStart(indexDigits, '0')}`,
        at: occurredAt,
        actions: [action, familyOf(action)],
        actor: principalId,
        resource_type: resource.type,
        resource: resource.id,
      },
    });
  });
}

/** Conditions for the rows of events after a position in the log. */
export function rowsAfter(position: Position): Condition[] {
  return [{ index: 'position', gt: `${position}.${'9'.repeat(indexDigits)}` }];
}

function familyOf(action: string): string {
  return `${action.slice(0, action.lastIndexOf('.'))}.*`;
}

/** An organization has several records, each with a family of actions. */
function isOfOneRecord(one: AuditFact, other: AuditFact): boolean {
  return one.resource.id === other.resource.id && familyOf(one.action) === familyOf(other.action);
}

function hashOf(record: JsonObject | null | undefined): string | null {
  return record ? sha256Hex(canonicalJson(record)) : null;
}
