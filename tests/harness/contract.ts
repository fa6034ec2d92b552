import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

interface ParameterSpec {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema: object;
}
interface MediaSpec {
  schema: object;
}
interface ResponseSpec {
  $ref?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaSpec>;
}
export interface Operation {
  operationId: string;
  tags: string[];
  parameters?: ParameterSpec[];
  requestBody?: { required?: boolean; content: Record<string, MediaSpec> };
  responses: Record<string, ResponseSpec>;
  security?: object[];
  'x-permission'?: string;
  'x-error-codes'?: Record<string, string[]>;
}
interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, ParameterSpec>; responses: Record<string, ResponseSpec> };
  'x-error-catalog': Record<string, { status: number }>;
}

const methodNames = ['get', 'post', 'put', 'patch', 'delete'];
const contractId = 'http://contract/openapi.json';

export const contractText = readFileSync(join(__dirname, '..', '..', 'contract', 'openapi.yaml'), 'utf8');
export const contract = parse(contractText) as Contract;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema({ $id: contractId, components: contract.components });
const coercing = new Ajv2020({ strict: false, allErrors: true, coerceTypes: 'array', validateSchema: false });
addFormats.default(coercing);
coercing.addSchema({ $id: contractId, components: contract.components });

const compiled = new Map<string, ValidateFunction>();

function validatorOf(schema: object, engine = ajv): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components', `"${contractId}#/components`);
  const key = `${engine === ajv ? 'exact' : 'query'} ${text}`;
  const known = compiled.get(key);
  if (known) return known;
  const made = engine.compile(JSON.parse(text) as object);
  compiled.set(key, made);
  return made;
}

/** Takes a schema of the contract and a value; gives one line per fault, empty when the value fits. */
export function faultsOf(schema: object, value: unknown, engine = ajv): string[] {
  const validate = validatorOf(schema, engine);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    (error) => `${error.instancePath || '/'} ${error.message ?? error.keyword} ${JSON.stringify(error.params)}`,
  );
}

const templates = Object.entries(contract.paths)
  .flatMap(([path, methods]) =>
    methodNames
      .filter((method) => methods[method])
      .map((method) => ({
        method: method.toUpperCase(),
        path,
        operation: methods[method] as Operation,
        literals: path.split('/').filter((part) => !part.startsWith('{')).length,
        pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
      })),
  )
  .sort((left, right) => right.literals - left.literals);

/**
 * The operation that a request addresses: the template with most literal parts wins; null when the contract has none.
 */
export function operationOf(method: string, pathname: string): Operation | null {
  return templates.find((known) => known.method === method && known.pattern.test(pathname))?.operation ?? null;
}

function resolvedParameter(parameter: ParameterSpec): ParameterSpec {
  const name = parameter.$ref?.split('/').at(-1);
  if (name === undefined) return parameter;
  const found = contract.components.parameters[name];
  if (!found) throw new Error(`the contract has no parameter ${name}`);
  return found;
}

export function responseOf(operation: Operation, status: number): ResponseSpec | null {
  const declared = operation.responses[String(status)];
  if (!declared) return null;
  const name = declared.$ref?.split('/').at(-1);
  return name === undefined ? declared : (contract.components.responses[name] ?? null);
}

/**
 * Faults of a request that is meant to be valid: body and query by the contract, and no parameter it does not declare.
 */
export function requestFaults(operation: Operation, query: URLSearchParams, body: unknown): string[] {
  const faults: string[] = [];
  const declared = (operation.parameters ?? []).map(resolvedParameter).filter((parameter) => parameter.in === 'query');
  for (const name of new Set(query.keys())) {
    const parameter = declared.find((known) => known.name === name);
    if (!parameter) faults.push(`query.${name} is not declared`);
    else {
      const many = query.getAll(name);
      const isList = (parameter.schema as { type?: string }).type === 'array';
      faults.push(
        ...faultsOf(
          { type: 'object', properties: { [name]: parameter.schema } },
          { [name]: isList ? many : many[0] },
          coercing,
        ).map((fault) => `query ${fault}`),
      );
    }
  }
  const schema = operation.requestBody?.content['application/json']?.schema;
  if (schema && (body !== undefined || operation.requestBody?.required)) faults.push(...faultsOf(schema, body));
  return faults;
}

/** Status that the error catalog gives a code; throws for a code that is not in it. */
export function statusOfCode(code: string): number {
  const entry = contract['x-error-catalog'][code];
  if (!entry) throw new Error(`"${code}" is not in the error catalog`);
  return entry.status;
}

/** Answers that any request may get without being repeated per operation (x-conventions, every-path). */
export const everyPathStatus: readonly number[] = [405, 408, 431];
