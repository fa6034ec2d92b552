import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonObject } from '@aos/kernel';
import { loadContract } from '@aos/platform';
import { envelopeSchemas, schemaText } from './event-schemas.js';

const folder = join(__dirname, '../../../../contract/events');
const golden = join(__dirname, '../publishing/golden');
const schemas = envelopeSchemas(loadContract().document.components.schemas);

describe('contract/events', () => {
  it('holds a schema for each event, as the contract says: node tools/run.mjs tools/event-schemas.mjs writes them', () => {
    expect(readdirSync(folder).sort()).toEqual([...schemas.keys()].sort());
    for (const [file, schema] of schemas) expect(readFileSync(join(folder, file), 'utf8')).toBe(schemaText(schema));
  });

  it('has nothing against what is told, and much against what is not', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    const told = readdirSync(golden).flatMap((file) => (JSON.parse(readFileSync(join(golden, file), 'utf8')) as { told: string[] }).told).map((text) => JSON.parse(text) as JsonObject);
    expect(told.length).toBeGreaterThan(8);
    for (const envelope of told) {
      const schema = schemas.get(envelope.source_kind === 'integration' ? 'integration.json' : `${String(envelope.event_type)}.json`);
      if (!schema) throw new Error(`no schema for ${String(envelope.event_type)}`);
      const validate = ajv.getSchema(String(schema.$id)) ?? ajv.compile(schema);
      validate(envelope);
      expect(validate.errors ?? []).toEqual([]);
      for (const member of Object.keys(envelope)) {
        const { [member]: _gone, ...rest } = envelope;
        expect(validate(rest)).toBe(false);
      }
      expect(validate({ ...envelope, more: 1 })).toBe(false);
      expect(validate({ ...envelope, source_kind: 'other' })).toBe(false);
    }
  });
});
