import type { EventStore, Identity, JsonObject, ReadStore } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { MemoryLeases } from '@aos/adapters/memory';
import { OrganizationSalts } from '@aos/access/published';
import { DueTimers, LossWatch, MissedRows, PassingStreams, Projector, WriterProjections } from '@aos/platform';
import { tableResource } from '../resources/table-resource.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { MemoryReader } from '../memory/memory-reader.js';
import { memoriesProjection } from '../memory/memory.projection.js';
import { BatchDeadlines } from '../row/batch-deadlines.js';
import { BatchDecisions } from '../row/batch-decisions.js';
import { BulkInsert } from '../row/bulk-insert.js';
import { DeletedTables } from '../row/deleted-tables.js';
import { IdentityChange } from '../row/identity-change.js';
import { batchDeadlineProjection, rowsProjection } from '../row/row.projection.js';
import { RowReader } from '../row/row-reader.js';
import { RowStreams } from '../row/row-streams.js';
import { Staging } from '../row/staging.js';
import { TableRows } from '../row/table-rows.js';
import { TableDirectory } from '../table/table-directory.js';
import { tableEmptyingProjection, tablesProjection } from '../table/table.projection.js';
import type { TableRecord } from '../table/table.state.js';
import type { TableSchema } from '../table/table.events.js';
import { backend, definitionsProcess, type World } from './definitions.fixture.js';

/** One salt for all organizations. */
export class FixedSalts extends OrganizationSalts {
  override async of(): Promise<string> {
    return 'salt';
  }
}

/** One process of blueprint-service with its tables, rows and memory. */
export function tablesProcess(world: Omit<World, 'store'> & { store: EventStore }) {
  const { store, readStore, clock, ids } = world;
  const base = definitionsProcess(world);
  const { decisions, streams, claims, projections, seal } = base;
  for (const projection of [
    tablesProjection,
    tableEmptyingProjection,
    rowsProjection,
    batchDeadlineProjection,
    memoriesProjection,
  ])
    projections.register(projection as never);
  const salts = new FixedSalts(decisions);
  const tables = new TableDirectory(streams, claims);
  const batches = new BatchDecisions(decisions, clock);
  const rowStreams = new RowStreams(streams, batches);
  const reader = new RowReader(readStore, rowStreams, streams, batches, seal, clock, salts);
  const staging = new Staging(batches, clock, ids);
  const rows = new TableRows(rowStreams, reader, new IdentityChange(staging, rowStreams), salts, clock);
  const bulk = new BulkInsert(rows, rowStreams, staging, clock);
  const timers = new DueTimers(readStore, clock);
  new BatchDeadlines(timers, rowStreams).onModuleInit();
  const deletedTables = new DeletedTables(timers, rowStreams, streams, decisions, store, readStore, clock);
  deletedTables.onModuleInit();
  const memory = new MemoryReader(readStore, decisions, salts, seal);
  return {
    ...base,
    tables,
    batches,
    rowStreams,
    reader,
    staging,
    rows,
    bulk,
    timers,
    deletedTables,
    memory,
    entries: new MemoryEntries(decisions, memory, salts, clock),
    async table(schema: Partial<TableSchema> = {}, who: Identity = backend): Promise<TableRecord> {
      const wire = await base.create(tableResource, who, {
        name: `t${ids.ulid().slice(-6)}`,
        schema: { identity_column: 'id', columns: [{ name: 'id', type: 'string' }], open: true, ...schema },
      });
      return tables.visible(who, String(wire.id));
    },
    deleteTable: ({ id }: TableRecord, who: Identity = backend) => base.remove(tableResource, who, id),
    /**
     * Does the projectors' work: puts rows for every event of the log, also where the writer died before it put them.
     */
    async project(into: ReadStore = readStore): Promise<void> {
      const leases = new MemoryLeases(clock);
      for (const projection of projections.all) {
        const projector = new Projector(
          new MissedRows(projection, new WriterProjections(into), new PassingStreams(decisions)),
          store,
          into,
          leases,
          clock,
          new LossWatch(into, clock),
          { leaseMs: 15_000, owner: 'test' },
        );
        projector.start();
        await eventually(`${projector.name} has caught up`, async () => projector.state.caughtUp);
        await projector.close();
        if (projector.state.failure) throw projector.state.failure;
      }
    },
    /** Everything that a list shows, page by page. */
    async all(table: TableRecord): Promise<JsonObject[]> {
      const found: JsonObject[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<RowReader['query']>> = await reader.query(table, {
          limit: 100,
          ...(cursor === null ? {} : { cursor }),
        });
        found.push(...page.rows.map(({ data }) => data));
        cursor = page.next_cursor;
      } while (cursor !== null);
      return found;
    },
  };
}

export type TablesProcess = ReturnType<typeof tablesProcess>;
