export type ColumnType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array' | 'any';

/** A value read from text, or why the text is none. */
export type Read = { value: unknown } | { fault: string };

const datePattern = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

/** A value as the text of a cell; nothing for no value. */
export function textOfValue(value: unknown, type: ColumnType): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return type === 'any' && jsonOf(value) !== undefined ? JSON.stringify(value) : value;
  return JSON.stringify(value);
}

/** Takes the text of a cell; gives the value of the column's type, null for an empty cell. */
export function valueOfText(text: string, type: ColumnType): Read {
  if (text === '') return { value: null };
  switch (type) {
    case 'string':
      return { value: text };
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text))
        ? { value: Number(text) }
        : { fault: `“${short(text)}” is not a number` };
    case 'boolean':
      return /^(true|false)$/i.test(text)
        ? { value: text.toLowerCase() === 'true' }
        : { fault: `“${short(text)}” is neither true nor false` };
    case 'date':
      return isDate(text)
        ? { value: text }
        : { fault: `“${short(text)}” is no date like 2026-11-24 or 2026-11-24T13:00:00Z` };
    case 'object':
    case 'array':
      return structured(text, type);
    case 'any':
      return { value: jsonOf(text) ?? text };
  }
}

function structured(text: string, type: 'object' | 'array'): Read {
  const value = jsonOf(text);
  const fits = typeof value === 'object' && value !== null && Array.isArray(value) === (type === 'array');
  return fits ? { value } : { fault: `“${short(text)}” is not JSON of an ${type}` };
}

function isDate(text: string): boolean {
  if (!datePattern.test(text)) return false;
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Undefined for a text that is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const shortLength = 40;

function short(text: string): string {
  return text.length > shortLength ? `${text.slice(0, shortLength)}…` : text;
}
