/** A value of an action's input that a plain field can take. */
export interface InputField {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'choice';
  isRequired: boolean;
  description?: string;
  choices: readonly string[];
}

type JsonSchema = Record<string, unknown>;

const fieldsMax = 30;
const kinds: Record<string, InputField['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

/** The fields of a form for a schema; null when it holds what only JSON can say. */
export function inputFields(schema: JsonSchema | undefined): InputField[] | null {
  const { properties, required, additionalProperties } = schema ?? {};
  if (!isObject(properties) || isObject(additionalProperties)) return null;
  const names = Object.keys(properties);
  if (names.length === 0 || names.length > fieldsMax) return null;
  const needed = Array.isArray(required) ? required : [];
  const fields = names.map((name) => fieldOf(name, properties[name], needed.includes(name)));
  return fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(name: string, schema: unknown, isRequired: boolean): InputField | null {
  if (!isObject(schema)) return null;
  const description = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const choices = schema['enum'];
  if (Array.isArray(choices) && choices.every((one) => typeof one === 'string'))
    return { name, kind: 'choice', isRequired, description, choices };
  const kind = kinds[String(schema['type'])];
  return kind === undefined ? null : { name, kind, isRequired, description, choices: [] };
}

/** Takes what stands in a field; gives the value for the input, undefined for an empty field. */
export function valueOfField({ kind }: InputField, text: string): unknown {
  if (text === '') return undefined;
  if (kind === 'boolean') return text === 'true';
  return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
