import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { TokenVerb } from '@aos/kernel';

const kib = 1024;
/** Rule L3. */
export const bodyBytesMax = 1024 * kib;
export const largeBodyBytesMax = 8 * 1024 * kib;
const largeBodyOperations: ReadonlySet<string> = new Set([
  'invokeAgent',
  'startTurn',
  'appendSessionMessages',
  'bulkCreateTableRows',
  'applyBlueprint',
]);

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const methods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export type Schema = Readonly<Record<string, unknown>>;

export interface ContractParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

/** What the contract says of one method of one path. */
export interface Operation {
  readonly operationId: string;
  readonly method: HttpMethod;
  /** With `{name}` for parameters. */
  readonly path: string;
  /** Null for operations without authentication. `actions.execute.<provider>.<action>` is checked by its controller. */
  readonly permission: string | null;
  /** The verb that a browser token needs; null: no token may do it (rule A38). */
  readonly tokenVerb: TokenVerb | null;
  /** Of tokens, only one with an end user may do it. */
  readonly needsEndUser: boolean;
  /** Query parameter that a token must send. */
  readonly tokenQuery: string | null;
  readonly isPublic: boolean;
  /** The path itself is a credential: no log has it, and an address that tries many is slowed down. */
  readonly isSealedPath: boolean;
  /** Where it is not open it answers as an unknown path. */
  readonly isHidden: boolean;
  readonly tier: number;
  readonly tags: readonly string[];
  readonly parameters: readonly ContractParameter[];
  readonly body: { readonly required: boolean; readonly mediaType: 'application/json' | 'multipart/form-data' } | null;
  readonly bodyBytesMax: number;
  /** The 2xx answers it may give, lowest first; empty for a switch of protocol. */
  readonly successStatuses: readonly number[];
  /** Whether it answers 400; else a path that breaks a form of the contract is an unknown one. */
  readonly listsBadRequest: boolean;
  readonly isEventStream: boolean;
  /** The connection is switched to WebSocket. */
  readonly isSocket: boolean;
}

type Tree = Record<string, unknown>;

interface Document {
  paths: Record<string, Record<string, Tree>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Tree> };
  'x-error-catalog': Record<string, { status: number }>;
}

/** The wire contract as a table of operations. */
export class Contract {
  readonly operations: readonly Operation[];
  private readonly byRoute = new Map<string, Operation>();
  private readonly byId = new Map<string, Operation>();

  constructor(
    readonly document: Document,
    readonly yaml: string,
  ) {
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method.toLowerCase()])
        .map((method) => this.operationOf(path, method, item[method.toLowerCase()] ?? {})),
    );
    for (const operation of this.operations) {
      this.byRoute.set(`${operation.method} ${operation.path}`, operation);
      this.byId.set(operation.operationId, operation);
    }
  }

  /** Takes a path with `:name` or `{name}` parameters; `*` is `{path}`, all that follows. */
  find(method: string, path: string): Operation | null {
    return this.byRoute.get(`${method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')}`) ?? null;
  }

  operation(operationId: string): Operation {
    const found = this.byId.get(operationId);
    if (!found) throw new Error(`the contract has no operation ${operationId}`);
    return found;
  }

  /** Follows a reference of this document. */
  schemaAt(reference: string): Schema {
    const parts = reference
      .slice('#/'.length)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return parts.reduce<Tree>((node, part) => (node[part] ?? {}) as Tree, { ...this.document });
  }

  private operationOf(path: string, method: HttpMethod, declared: Tree): Operation {
    const responses = (declared['responses'] ?? {}) as Record<string, { content?: Tree }>;
    const content = ((declared['requestBody'] ?? {}) as { content?: Tree }).content ?? {};
    const mediaType = (['application/json', 'multipart/form-data'] as const).find((type) => type in content);
    const operationId = String(declared['operationId']);
    const tags = (declared['tags'] ?? []) as string[];
    return {
      operationId,
      method,
      path,
      permission: (declared['x-permission'] as string | undefined) ?? null,
      tokenVerb: (declared['x-token-verb'] as TokenVerb | undefined) ?? null,
      needsEndUser: declared['x-token-reach'] === 'end_user',
      tokenQuery: (declared['x-token-query'] as string | undefined) ?? null,
      isPublic: Array.isArray(declared['security']) && declared['security'].length === 0,
      isSealedPath: declared['x-sealed-path'] === true,
      isHidden: declared['x-hidden'] === true,
      tier: Number(declared['x-tier'] ?? 1),
      tags,
      parameters: ((declared['parameters'] ?? []) as Tree[]).map((parameter) => this.parameterOf(parameter)),
      body: mediaType
        ? { required: (declared['requestBody'] as { required?: boolean }).required ?? false, mediaType }
        : null,
      bodyBytesMax: largeBodyOperations.has(operationId) ? largeBodyBytesMax : bodyBytesMax,
      successStatuses: Object.keys(responses)
        .map(Number)
        .filter((status) => status >= 200 && status < 300)
        .sort((a, b) => a - b),
      listsBadRequest: '400' in responses,
      isEventStream: Object.values(responses).some((response) => 'text/event-stream' in (response.content ?? {})),
      isSocket: '101' in responses,
    };
  }

  private parameterOf(declared: Tree): ContractParameter {
    const reference = declared['$ref'];
    const parameter =
      typeof reference === 'string'
        ? (this.document.components.parameters[reference.slice(reference.lastIndexOf('/') + 1)] ?? {})
        : declared;
    return {
      name: String(parameter['name']),
      in: parameter['in'] as ContractParameter['in'],
      required: parameter['required'] === true,
      schema: parameter['schema'] as Schema,
    };
  }
}

/** Beside apps and libs, in the sources as in dist. */
const contractFolder = join(__dirname, '..', '..', '..', '..', '..', 'contract');
let loaded: Contract | null = null;

/**
 * The contract of this build; read once per process. A build may put `openapi.json` beside the YAML, which reads
 * faster.
 */
export function loadContract(): Contract {
  if (loaded) return loaded;
  const yaml = readFileSync(join(contractFolder, 'openapi.yaml'), 'utf8');
  const json = join(contractFolder, 'openapi.json');
  const document = (existsSync(json) ? JSON.parse(readFileSync(json, 'utf8')) : parse(yaml)) as Document;
  loaded = new Contract(document, yaml);
  return loaded;
}
