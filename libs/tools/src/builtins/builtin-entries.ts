import type { JsonObject } from '@aos/kernel';
import type { CatalogAction } from '@aos/definitions/published';
import { ownSchema } from './contract-schemas.js';

type Reach = 'reads' | 'writes' | 'destroys';

const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more });
const limit: JsonObject = { type: 'integer', minimum: 1, maximum: 100 };
const cursor = text('`next_cursor` of the page before.');
const table = text('Name or id of the table.', { minLength: 1 });
const interactionId = text('Id of the interaction.', { minLength: 1 });
const scope: JsonObject = {
  type: 'string',
  enum: ['user', 'shared'],
  description: 'Memory of the person who is served, or shared by all; without a person always shared.',
};

function object(properties: JsonObject, required: string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function entry(
  name: string,
  title: string,
  description: string,
  reach: Reach,
  input: JsonObject,
  annotations: JsonObject = {},
): CatalogAction {
  return {
    name,
    title,
    description,
    endpoint_kind: 'builtin',
    source: 'platform',
    definition_scope: 'platform',
    readiness: 'ready',
    risk: reach === 'reads' ? 'low' : reach === 'writes' ? 'medium' : 'high',
    annotations: {
      idempotent: true,
      ...(reach === 'reads' ? { read_only: true } : {}),
      ...(reach === 'destroys' ? { destructive: true } : {}),
      ...annotations,
    },
    input_schema: input,
    execution: { supported_locations: ['managed'], default_location: 'managed' },
  };
}

function tableEntries(): CatalogAction[] {
  const filter: JsonObject = {
    type: 'object',
    description: 'Value of a column, or operators: $eq, $ne, $gt, $gte, $lt, $lte, $in, $exists.',
  };
  const sort: JsonObject = {
    type: 'array',
    maxItems: 10,
    items: object({ field: text('Column.'), order: { type: 'string', enum: ['asc', 'desc'] } }, ['field']),
  };
  const one = {
    table,
    row_id: text('Id of the row.'),
    identity: text('Value of its identity column, instead of its id.'),
  };
  return [
    entry('svc.table.list', 'List tables', 'Lists the tables in reach.', 'reads', object({ limit, cursor })),
    entry(
      'svc.table.get',
      'Get a table',
      'Shows a table, its columns and instructions.',
      'reads',
      object({ table }, ['table']),
    ),
    entry(
      'svc.table.query_rows',
      'Query rows',
      'Lists rows of a table by filter and order.',
      'reads',
      object({ table, filter, sort, limit, cursor }, ['table']),
    ),
    entry(
      'svc.table.search_rows',
      'Search rows',
      'Finds rows of a table by words.',
      'reads',
      object({ table, query: text('Words to find.', { minLength: 1 }), filter, limit, cursor }, ['table', 'query']),
    ),
    entry('svc.table.get_row', 'Get a row', 'Shows one row by its id or identity.', 'reads', object(one, ['table'])),
    entry(
      'svc.table.save_row',
      'Save a row',
      'Creates the row of this identity or changes it; with row_id changes that row.',
      'writes',
      object(
        {
          table,
          data: { type: 'object', description: 'Values by column.' },
          row_id: one.row_id,
          version: { type: 'integer', minimum: 1, description: 'Version that the row must have.' },
        },
        ['table', 'data'],
      ),
    ),
    entry(
      'svc.table.delete_row',
      'Delete a row',
      'Deletes one row by its id or identity.',
      'destroys',
      object(one, ['table']),
    ),
  ];
}

function memoryEntries(): CatalogAction[] {
  const key = text('Name of the entry.', { pattern: '^[A-Za-z0-9._:-]{1,256}$' });
  const kind: JsonObject = { type: 'string', enum: ['fact', 'preference', 'episode', 'summary'] };
  return [
    entry(
      'svc.memory.remember',
      'Remember',
      'Keeps a note for later sessions; the same key replaces it.',
      'writes',
      object(
        {
          key,
          content: text('What to remember.', { minLength: 1, maxLength: 16_384 }),
          summary: text('In a few words.', { maxLength: 140 }),
          kind,
          importance: { type: 'integer', minimum: 0, maximum: 100 },
          pinned: { type: 'boolean' },
          scope,
        },
        ['key', 'content'],
      ),
    ),
    entry(
      'svc.memory.recall',
      'Recall',
      'Shows the note of a key, or finds notes by words.',
      'reads',
      object({ key, query: text('Words to find.'), kind, limit }),
    ),
    entry('svc.memory.forget', 'Forget', 'Deletes a note.', 'destroys', object({ key, scope }, ['key'])),
  ];
}

function interactionEntries(schemas: Readonly<Record<string, unknown>>): CatalogAction[] {
  const responding = ownSchema(schemas, 'RespondToInteractionRequest');
  const status: JsonObject = { type: 'string', enum: ['pending', 'in_review', 'completed', 'cancelled', 'expired'] };
  return [
    entry(
      'svc.interaction.open',
      'Ask people',
      'Asks people something. Their answer comes into this session by itself; wait for it with svc.event.wait.',
      'writes',
      ownSchema(schemas, 'CreateInteractionRequest', ['consumer']),
    ),
    entry(
      'svc.interaction.get',
      'Get an interaction',
      'Shows an interaction and its answers.',
      'reads',
      object({ interaction_id: interactionId }, ['interaction_id']),
    ),
    entry(
      'svc.interaction.list',
      'List interactions',
      'Lists interactions in reach, the newest first.',
      'reads',
      object({
        status,
        inbox: { type: 'boolean', description: 'Only those that wait for this agent.' },
        limit,
        cursor,
      }),
    ),
    entry(
      'svc.interaction.respond',
      'Answer an interaction',
      'Answers an interaction that is put to this agent.',
      'writes',
      {
        ...responding,
        properties: { interaction_id: interactionId, ...(responding.properties as JsonObject) },
        required: ['interaction_id'],
      },
    ),
    entry(
      'svc.interaction.cancel',
      'Cancel an interaction',
      'Withdraws a question that this agent asked.',
      'writes',
      object({ interaction_id: interactionId, reason: text('Why.', { maxLength: 2048 }) }, ['interaction_id']),
    ),
    entry(
      'svc.event.wait',
      'Wait for an answer',
      'Waits until an interaction that this session asked is closed. ' +
        'It answers `pending` when something else that the same message waited for came first: ' +
        'the answer then comes into this session by itself, or wait again.',
      'reads',
      object({ interaction_id: interactionId }, ['interaction_id']),
      { long_running: true },
    ),
  ];
}

function artifactEntries(): CatalogAction[] {
  return [
    entry(
      'svc.artifact.save',
      'Save a file',
      'Saves a file in this session, from text or base64. The answer has its id.',
      'writes',
      object(
        {
          name: text('Name of the file.', { minLength: 1, maxLength: 256 }),
          mime: text('Media type.', { minLength: 1, maxLength: 255 }),
          text: text('What is in it, as text.', { maxLength: 1_048_576 }),
          base64: text('What is in it, as base64, instead of text.', { maxLength: 1_398_104 }),
        },
        ['name'],
      ),
    ),
    entry(
      'svc.artifact.read',
      'Read a file',
      'Reads a part of a file of this session, up to 256 KiB: as text when it is text, else as base64.',
      'reads',
      object(
        {
          artifact_id: text('Id of the file.', { minLength: 1 }),
          offset: { type: 'integer', minimum: 0, description: 'First byte; `next_offset` of the part before.' },
          length: { type: 'integer', minimum: 1, maximum: 262_144, description: 'Bytes to read.' },
        },
        ['artifact_id'],
      ),
    ),
  ];
}

/** The built-in actions, with what they take (rule R41). Takes the contract's schemas by name. */
export function builtinEntries(schemas: Readonly<Record<string, unknown>>): CatalogAction[] {
  return [
    ...tableEntries(),
    ...memoryEntries(),
    ...interactionEntries(schemas),
    ...artifactEntries(),
    entry(
      'svc.skill.invoke',
      'Invoke a skill',
      "Gives the instructions of one of the agent's skills.",
      'reads',
      object({ name: text('Name of the skill.', { minLength: 1 }) }, ['name']),
    ),
  ];
}
