import type { Json } from '@aos/kernel';
import type { ColumnType } from './table.events.js';

const datePattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ](?!24)\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/** Milliseconds since 1970 of an RFC 3339 date or timestamp; null for other text and for days that do not exist. */
export function timeOf(value: string): number | null {
  if (!datePattern.test(value)) return null;
  const [year = 0, month = 0, day = 0] = value.slice(0, 10).split('-').map(Number);
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const time = Date.parse(value.length === 10 ? value : value.replace(' ', 'T').toUpperCase());
  return Number.isNaN(time) ? null : time;
}

/** Why a value does not fit a column type; null when it does. Null itself is no value, and not asked about here. */
export function valueFault(type: ColumnType, value: Json): string | null {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type ? null : `is not a ${type}`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is not a number';
    case 'date':
      return typeof value === 'string' && timeOf(value) !== null ? null : 'is not an RFC 3339 date or timestamp';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'is not an object';
    case 'array':
      return Array.isArray(value) ? null : 'is not an array';
    case 'any':
      return null;
  }
}
