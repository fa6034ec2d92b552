import { contract, type Operation } from '../contract.js';
import type { Client } from '../client.js';
import { rawRequest } from '../raw.js';

export interface QueryParameter {
  name: string;
  required: boolean;
  schema: object;
}

/** One operation of the contract, as generated suites need it. */
const leadsElsewhere = 302;

export interface ApiOperation {
  id: string;
  method: string;
  path: string;
  pathParameters: string[];
  query: QueryParameter[];
  /** `x-permission`; null for an operation without authentication. */
  permission: string | null;
  tier: number;
  bodySchema: object | null;
  mediaType: string | null;
  /** Declared statuses under 300. */
  success: number[];
  isStream: boolean;
  declared: Operation;
}

const methodNames = ['get', 'post', 'put', 'patch', 'delete'];
const unknownMethod = 'PROPFIND';

function parametersOf(
  path: Record<string, unknown>,
  operation: Operation,
): { name: string; in: string; required?: boolean; schema: object }[] {
  const own = [...((path['parameters'] as Operation['parameters']) ?? []), ...(operation.parameters ?? [])];
  return own.map((parameter) => {
    const name = parameter.$ref?.split('/').at(-1);
    const found = name === undefined ? parameter : contract.components.parameters[name];
    if (!found) throw new Error(`the contract has no parameter ${String(name)}`);
    return found;
  });
}

/** Every operation of the contract, in its order. */
export const operations: readonly ApiOperation[] = Object.entries(contract.paths).flatMap(([path, methods]) =>
  methodNames.flatMap((method): ApiOperation[] => {
    const declared = methods[method];
    if (!declared) return [];
    const [media] = Object.entries(declared.requestBody?.content ?? {});
    const contents = Object.entries(declared.responses)
      .filter(([status]) => status < '300')
      .map(([, { content = {} }]) => Object.keys(content));
    return [
      {
        id: declared.operationId,
        method: method.toUpperCase(),
        path,
        declared,
        pathParameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
        query: parametersOf(methods, declared)
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, required = false, schema }) => ({ name, required, schema })),
        permission: declared['x-permission'] ?? null,
        tier: Number((declared as unknown as Record<string, unknown>)['x-tier']),
        bodySchema: media?.[1].schema ?? null,
        mediaType: media?.[0] ?? null,
        success: Object.keys(declared.responses)
          .map(Number)
          .filter((status) => status < 300 || status === leadsElsewhere),
        isStream: contents.some((types) => types.length === 1 && types[0] === 'text/event-stream'),
      },
    ];
  }),
);

/** What the service under test serves, told by itself: `Allow` of a method that no path has. */
export async function servedOperations(api: Client): Promise<ApiOperation[]> {
  const allowed = new Map<string, string[]>();
  for (const path of new Set(operations.map((operation) => operation.path))) {
    const { status, headers } = await rawRequest(api, unknownMethod, path.replaceAll(/\{[^}]+\}/g, 'x'));
    allowed.set(path, status === 405 ? String(headers['allow']).split(/,\s*/) : []);
  }
  return operations.filter(({ path, method }) => allowed.get(path)?.includes(method) ?? false);
}

/** The operation of this id; throws for one that the contract does not have. */
export function operationNamed(id: string): ApiOperation {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`the contract has no operation ${id}`);
  return found;
}
