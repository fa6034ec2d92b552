import type { Contract, Operation } from '../contract/contract.js';

/** What one route of the server is. */
export interface BoundRoute {
  readonly method: string;
  readonly path: string;
  /** Null for a route between services (`internal`). */
  readonly operation: Operation | null;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly methods: Set<string>;
}

/**
 * Every route of this process beside the contract's: binds routes to operations at boot, and answers which methods a
 * path has.
 * Source: controls S5, S46; rule G24.
 */
export class RouteTable {
  private readonly served = new Map<string, Pattern>();
  private readonly declared: readonly { segments: readonly string[]; method: string }[];

  constructor(
    private readonly contract: Contract,
    private readonly internalPaths: ReadonlySet<string>,
  ) {
    this.declared = contract.operations.map(({ method, path }) => ({ method, segments: path.split('/') }));
  }

  /**
   * Takes a route as the framework registers it. Throws for one that the contract does not have, or that would be open
   * to every caller by mistake: the process does not start.
   */
  bind(method: string, path: string): BoundRoute {
    if (this.internalPaths.has(path)) return this.add(method, path, null);
    const operation = this.contract.find(method === 'HEAD' ? 'GET' : method, path);
    if (!operation) throw new Error(`route ${method} ${path} is not in the contract`);
    const isOpenOnPurpose = operation.isPublic && operation.tags.includes('operations');
    if (operation.permission === null && !isOpenOnPurpose)
      throw new Error(`route ${method} ${path} declares no permission`);
    return this.add(method, path, operation);
  }

  /**
   * The methods that a path has here; empty for an unknown path, and for an operation of the contract that is not
   * built.
   */
  allowedMethods(method: string, path: string): readonly string[] {
    const segments = path.split('/');
    const methods = new Set<string>();
    for (const pattern of this.served.values())
      if (fits(pattern.segments, segments)) for (const each of pattern.methods) methods.add(each);
    if (
      methods.size > 0 &&
      this.declared.some((operation) => operation.method === method && fits(operation.segments, segments))
    )
      return [];
    return [...methods].sort();
  }

  private add(method: string, path: string, operation: Operation | null): BoundRoute {
    if (operation?.isHidden) return { method, path, operation };
    const pattern = this.served.get(path) ?? { segments: path.split('/'), methods: new Set<string>() };
    pattern.methods.add(method);
    this.served.set(path, pattern);
    return { method, path, operation };
  }
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '*';
  const known = isOpenEnded ? pattern.slice(0, -1) : pattern;
  return (
    (isOpenEnded ? known.length < segments.length : known.length === segments.length) &&
    known.every((part, index) => {
      const segment = segments[index] ?? '';
      return part.startsWith(':') || part.startsWith('{') ? segment !== '' : part === segment;
    })
  );
}
