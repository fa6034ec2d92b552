import { type Schema, type Draw, resolved, valueOf } from './values.js';
import type { ApiOperation } from './operations.js';
import { exchange, type Exchanged } from './exchange.js';
import { type Place } from './place.js';
import { requestTo, schemaOf } from './recipes.js';

/** How many readings of a schema with branches are tried for one member. */
const readings = 4;

/** Everything that can be said is the marker; `reading` turns through branches and listed values. */
function planting(marker: string, reading: number): Draw {
  let count = 0;
  const text = (max: number) => {
    count += 1;
    return `${marker}${count.toString(36)}${Date.now().toString(36)}`.slice(0, Math.max(max, marker.length));
  };
  return {
    member: (_name, depth) => depth < 6,
    branch: (size) => reading % Math.max(1, size),
    items: (min) => Math.max(1, min),
    whole: (min) => min,
    text: (_name, max) => text(max),
    known: (name) => knownValues[name] ?? null,
    anything: (name) => ({ ...(openValues[name] ?? {}), note: text(100) }),
  };
}

/** Members that must be what they are, so that the others can be planted. */
const knownValues: Record<string, unknown> = {
  visibility: 'organization',
  model: 'svc-scripted-1',
  model_override: 'svc-scripted-1',
  summary_model: 'svc-scripted-1',
  owner: { kind: 'team' },
  endpoint_kind: 'http',
  threshold_tokens: 1000,
};
/** Free objects that have a form all the same. */
const openValues: Record<string, Record<string, unknown>> = {
  content: { type: 'text', text: 'x' },
  input_schema: { type: 'object' },
  output_schema: { type: 'object' },
  schema: { type: 'object' },
};

/** Members whose inner parts hang together: what to say in them. */
const writtenValues: Record<string, (marker: string) => Record<string, unknown>> = {
  'applyBlueprint.resources': (marker) => ({
    blueprint_key: `${marker}-${Date.now().toString(36)}`,
    resources: {
      skills: [{ key: marker, name: `${marker}${Date.now().toString(36)}`, description: marker, instructions: marker }],
      agents: [
        {
          key: marker,
          name: `${marker}${Date.now().toString(36)}`,
          description: marker,
          system_prompt: marker,
          skills: [{ key: marker }],
        },
      ],
    },
  }),
  'startTurn.idempotency_key': (marker) => legacyTurn({ idempotency_key: `${marker}${Date.now().toString(36)}` }),
  'startTurn.context': (marker) =>
    legacyTurn({ context: [{ name: marker.replaceAll(/[0-9]/g, 'x'), content: marker }] }),
  'startTurn.metadata': (marker) => legacyTurn({ metadata: { note: marker } }),
  'createInteraction.spec': (marker) => ({
    spec: {
      questions: [
        {
          id: marker,
          prompt: marker,
          mode: 'select',
          options: [{ value: marker, label: marker, description: marker }],
        },
      ],
    },
  }),
  'createInteraction.consumer': (marker) => ({
    consumer: {
      kind: 'http_subscriber',
      http_subscriber: { callback_url: `https://example.invalid/${marker}`, signing_secret: `${marker}0123456789` },
    },
  }),
  'respondToInteraction.answers': (marker) => ({ answers: [{ question_id: 'q', text: marker }] }),
  'importSkill.content': (marker) => ({
    content: `---\nname: ${marker}${Date.now().toString(36)}\ndescription: ${marker}\n---\n${marker}`,
  }),
  'createTable.schema': (marker) => ({ schema: plantedTable(marker) }),
  'updateTable.schema': (marker) => ({ schema: plantedTable(marker) }),
};

const legacyTurn = (more: Record<string, unknown>) => ({
  role: 'user',
  content: [{ type: 'text', text: 'x' }],
  ...more,
});
const plantedTable = (marker: string) => ({
  identity_column: 'sku',
  columns: [
    { name: 'sku', type: 'string', required: true },
    { name: 'note', type: 'string' },
    { name: marker, type: 'string', description: marker, default: marker },
  ],
});

export interface Planted {
  member: string;
  accepted: boolean;
  answer: Exchanged;
}

/**
 * Writes the marker into one member after the other of an operation's body, on new targets, beside what makes the
 * request valid.
 *
 * Gives one line per member that can hold text; accepted when one reading of its schema was taken.
 */
export async function plant(operation: ApiOperation, place: Place, marker: string): Promise<Planted[]> {
  const schema = schemaOf(operation);
  const caller = operation.path.includes('/interactions') ? await place.ownerPerson() : place.nobody;
  const planted: Planted[] = [];
  for (const [member, value] of Object.entries(schema?.properties ?? {})) {
    let done: Planted | null = null;
    for (let reading = 0; reading < readings && !done?.accepted; reading += 1) {
      const request = await requestTo(operation, place, caller, operation.pathParameters.length > 0);
      const written = writtenValues[`${operation.id}.${member}`]?.(marker);
      const said =
        written ??
        merged(
          valueOf(wrapped(member, value), planting(marker, reading)) as Record<string, unknown>,
          member,
          request.body as Record<string, unknown>,
        );
      if (!JSON.stringify(said).includes(marker)) continue;
      const answer = await exchange(caller.client, {
        ...request,
        body: { ...without(request.body as Record<string, unknown>, excludedBy(member)), ...said },
        headers: marked(marker),
      });
      done = { member, accepted: answer.status < 300, answer };
    }
    if (done) planted.push(done);
  }
  return planted;
}

/** Names of this organization stay in lists that must name something; free objects of rows keep their identity. */
function merged(said: Record<string, unknown>, member: string, base: Record<string, unknown>): Record<string, unknown> {
  const [mine, theirs] = [said[member], base[member]];
  const isRow =
    typeof theirs === 'object' && theirs !== null && !Array.isArray(theirs) && ['data', 'input'].includes(member);
  if (isRow) return { [member]: { ...theirs, ...(mine as object) } };
  if (member === 'rows' && Array.isArray(mine))
    return { rows: mine.map((row) => ({ sku: (row as { note: string }).note, ...(row as object) })) };
  return said;
}

/** Two ways of saying the same exclude each other. */
function excludedBy(member: string): string[] {
  if (['role', 'content', 'idempotency_key', 'context', 'metadata'].includes(member)) return ['input'];
  return member === 'value' ? ['answers'] : member === 'role_id' ? ['role_name'] : [];
}

function without(body: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

function wrapped(member: string, value: Schema): Schema {
  return { type: 'object', properties: { [member]: resolved(value) }, required: [member] };
}

const marked = (marker: string): Record<string, string> => ({ 'x-request-id': `${marker}-request` });
