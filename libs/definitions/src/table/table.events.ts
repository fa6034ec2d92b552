import { defineEvents, event, type EventOf, type Json } from '@aos/kernel';
import type { Recorded } from '../definition/definition.events.js';

export type ColumnType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array' | 'any';
export type Column = {
  name: string;
  type: ColumnType;
  required?: boolean;
  indexed?: boolean;
  default?: Json;
  description?: string;
  deprecated?: boolean;
};

/** Columns of a table (contract, `TableSchema`). */
export type TableSchema = {
  identity_column: string;
  secondary_key_column?: string;
  columns: Column[];
  indexes?: { name: string; columns: string[] }[];
  open?: boolean;
};

/** How a column's values stand in the row index: texts, numbers, or points in time as milliseconds. */
export type IndexKind = 'text' | 'number' | 'time';

/** A table. Absent: not set. */
export type TableDefinition = {
  name: string;
  description?: string;
  instructions?: string;
  schema: TableSchema;
  tags: Record<string, string>;
  /**
   * Columns by which every row that has a value is found: decided when a column comes to be, so that no row is missing
   * in an index.
   */
  row_indexes: Record<string, IndexKind>;
  /** Since its schema was closed: rows from before may hold values of columns that come later. */
  was_open?: true;
  /** Of a deleted table: since when none of its rows stands any more. */
  emptied_at?: string;
};

type TableRecorded = Recorded<TableDefinition>;

/** Each carries the whole record; the three about protection and binding are written by blueprints. */
export const tableEvents = defineEvents({
  TableCreated: event<TableRecorded>(1),
  TableConfigured: event<TableRecorded>(1),
  TableDeleted: event<TableRecorded>(1),
  /** The rows of the deleted table are gone too. */
  TableEmptied: event<TableRecorded>(1),
  ProtectionSet: event<TableRecorded>(1),
  BindingAttached: event<TableRecorded>(1),
  BindingDetached: event<TableRecorded>(1),
});
export type TableEvent = EventOf<typeof tableEvents>;
