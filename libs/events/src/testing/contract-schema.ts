import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { loadContract } from '@aos/platform';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'contract', components: loadContract().document.components });

const compiled = new Map<string, ValidateFunction>();

/** What a value has against a schema of the contract; empty when nothing. */
export function faultsAgainst(schema: string, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile({ $ref: `contract#/components/schemas/${schema}` });
  compiled.set(schema, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
}
