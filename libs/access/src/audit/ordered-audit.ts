import type { EventStore, Position, ReadRow, ReadStore, RecordedEvent } from '@aos/kernel';
import type { ComparedRow, OrderedProjection, OrderedRows } from '@aos/platform';
import { auditCollection, auditRows, rowsAfter, type AuditMapping, type AuditMappings } from './audit-mapping.js';

const rowsMax = 1000;

/** The rows of the audit view: for its projector, and for a check that builds them again. */
export class OrderedAudit implements OrderedProjection {
  readonly name = auditCollection;
  readonly collections = [auditCollection];
  readonly batchMax = 256;

  /** `readStore` holds the live rows. */
  constructor(
    private readonly mappings: AuditMappings,
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
  ) {}

  get prefixes(): readonly string[] {
    return this.mappings.prefixes;
  }

  async of(events: readonly RecordedEvent[]): Promise<ReadRow[]> {
    const rows: ReadRow[] = [];
    for (const event of events) {
      const mapping = this.mappings.of(event.stream);
      // most events of the log have no audit entry; their previous event is not read
      if (!mapping || mapping.facts(event, null).length === 0) continue;
      rows.push(...(await this.rowsOf(event, mapping)));
    }
    return rows;
  }

  begin(): OrderedRows {
    return {
      of: (events) => this.of(events),
      counts: async (_collection, row, to) => row.rebuilt !== null || !(await this.isBehind(row, to)),
    };
  }

  private async rowsOf(event: RecordedEvent, mapping: AuditMapping): Promise<ReadRow[]> {
    const [previous = null] =
      event.revision > 0 ? await this.store.read(event.stream, { from: event.revision - 1, limit: 1 }) : [];
    return auditRows(mapping, event, previous);
  }

  /**
   * Whether a live row is of an event after a position in the log. The row's index holds the position, its document
   * does not.
   */
  private async isBehind({ scope, key, live }: ComparedRow, to: Position): Promise<boolean> {
    const { rows } = await this.readStore.query({
      collection: auditCollection,
      scope: [scope],
      where: [...rowsAfter(to), { index: 'at', eq: String(live?.occurred_at) }],
      limit: rowsMax,
    });
    return rows.some((row) => row.key === key);
  }
}
