import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '@aos/kernel';
import { loadContract } from '@aos/platform';
import { sourceTopic } from '../relay/records.js';
import { envelopeSchemas, schemaText } from './event-schemas.js';

const folder = join(__dirname, '../../../../contract/events');
const golden = join(__dirname, '../publishing/golden');
const schemas = envelopeSchemas(loadContract().document.components.schemas);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);

function schemaFor(envelope: JsonObject): { schema: JsonObject; validate: ValidateFunction } {
  const schema = schemas.get(
    envelope.source_kind === 'integration' ? 'integration.json' : `${String(envelope.event_type)}.json`,
  );
  if (!schema) throw new Error(`no schema for ${String(envelope.event_type)}`);
  return { schema, validate: ajv.getSchema(String(schema.$id)) ?? ajv.compile(schema) };
}

const faultsOf = (validate: ValidateFunction, envelope: JsonObject) =>
  (validate(envelope) as boolean)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

describe('contract/events', () => {
  it('holds a schema for each event, as the contract says: node tools/run.mjs tools/event-schemas.mjs writes them', () => {
    expect(readdirSync(folder).sort()).toEqual([...schemas.keys()].sort());
    for (const [file, schema] of schemas) expect(readFileSync(join(folder, file), 'utf8')).toBe(schemaText(schema));
  });

  it('has nothing against what is told, and much against what is not', () => {
    const told = readdirSync(golden)
      .flatMap((file) => (JSON.parse(readFileSync(join(golden, file), 'utf8')) as { told: string[] }).told)
      .map((text) => JSON.parse(text) as JsonObject);
    expect(told.length).toBeGreaterThan(8);
    for (const envelope of told) {
      const { schema, validate } = schemaFor(envelope);
      expect([schema.title, ...faultsOf(validate, envelope)]).toEqual([schema.title]);
      for (const member of Object.keys(envelope)) {
        const { [member]: _gone, ...rest } = envelope;
        expect(validate(rest)).toBe(false);
      }
      expect(validate({ ...envelope, more: 1 })).toBe(false);
      expect(validate({ ...envelope, source_kind: 'other' })).toBe(false);
    }
  });
});

describe('docs/events.md', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/events.md'), 'utf8');

  it('has an example of every event, as its schema says', () => {
    const examples = [...page.matchAll(/^```json\n([^]*?)^```/gm)].map(
      ([, text]) => JSON.parse(text ?? '') as JsonObject,
    );
    expect(
      examples
        .map(({ event_type, source_kind }) =>
          source_kind === 'integration' ? 'integration.json' : `${String(event_type)}.json`,
        )
        .sort(),
    ).toEqual([...schemas.keys()].sort());
    for (const example of examples) expect(faultsOf(schemaFor(example).validate, example)).toEqual([]);
  });

  it('names the topic as it is', () => {
    const { topic, partitions, retentionMs } = sourceTopic('<SVC_TOPIC_PREFIX>');
    expect(page).toContain(`\`${topic}\``);
    expect(page).toContain(`${partitions} partitions`);
    expect(page).toContain(`${retentionMs / 86_400_000} days`);
  });
});
