import type { ColumnType } from './cell-values';

export const operators = [
  { value: '$eq', label: 'is' },
  { value: '$ne', label: 'is not' },
  { value: '$gt', label: 'over' },
  { value: '$gte', label: 'at least' },
  { value: '$lt', label: 'under' },
  { value: '$lte', label: 'at most' },
  { value: '$in', label: 'one of' },
  { value: '$exists', label: 'is there' },
] as const;

export type Operator = (typeof operators)[number]['value'];

export interface Term {
  column: string;
  operator: Operator;
  value: unknown;
}

export type Filter = Record<string, unknown>;

const names = new Set<string>(operators.map(({ value }) => value));

/** The terms of a filter in the words of the API: a value, or an object of operators. */
export function termsOf(filter: Filter): Term[] {
  return Object.entries(filter).flatMap(([column, wanted]): Term[] => {
    const parts = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) ? Object.entries(wanted) : [];
    const isOperators = parts.length > 0 && parts.every(([name]) => names.has(name));
    return isOperators
      ? parts.map(([operator, value]) => ({ column, operator: operator as Operator, value: value as unknown }))
      : [{ column, operator: '$eq', value: wanted }];
  });
}

/** Of two terms with the same column and operator the later one stands. */
export function filterOf(terms: readonly Term[]): Filter {
  const filter: Record<string, Record<string, unknown>> = {};
  for (const { column, operator, value } of terms) filter[column] = { ...filter[column], [operator]: value };
  return filter;
}

/** The filter in an address; none for a text that is no object. */
export function filterFrom(text: string | undefined): Filter {
  if (text === undefined) return {};
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Filter) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

export interface Sort {
  field: string;
  order: 'asc' | 'desc';
}

/** `amount` and `-amount` in an address. */
export function sortFrom(text: string | undefined): Sort | null {
  if (text === undefined || text === '' || text === '-') return null;
  return text.startsWith('-') ? { field: text.slice(1), order: 'desc' } : { field: text, order: 'asc' };
}

/** What a click on a column's head makes of the order: up, down, none. */
export function nextSort(current: Sort | null, field: string): string {
  if (current?.field !== field) return field;
  return current.order === 'asc' ? `-${field}` : '';
}

export interface ColumnHead {
  name: string;
  type: ColumnType;
}

export function termText({ column, operator, value }: Term): string {
  if (operator === '$exists') return `${column} is ${value === false ? 'not there' : 'there'}`;
  const word = operators.find((one) => one.value === operator)?.label ?? operator;
  const text = Array.isArray(value)
    ? value.map(String).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
  return `${column} ${word} ${text}`;
}
