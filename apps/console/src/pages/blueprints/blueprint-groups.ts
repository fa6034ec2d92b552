import type { Schema } from '@aos/client';

export type Binding = Schema<'BlueprintBinding'>;

export interface Blueprint {
  namespace: string | undefined;
  key: string | undefined;
  version: string | undefined;
  bindings: Binding[];
  protection: 'all' | 'some' | 'none';
}

/** The blueprints that bindings belong to, by namespace and key. */
export function blueprintsOf(bindings: readonly Binding[]): Blueprint[] {
  const groups = new Map<string, Binding[]>();
  for (const binding of bindings) {
    const identity = identityOf(binding);
    groups.set(identity, [...(groups.get(identity) ?? []), binding]);
  }
  return [...groups.values()].map((of): Blueprint => {
    const [first] = of;
    const held = of.filter((binding) => binding.protected).length;
    return {
      namespace: first?.namespace,
      key: first?.blueprint_key,
      version: of.at(-1)?.blueprint_version,
      bindings: of,
      protection: held === 0 ? 'none' : held === of.length ? 'all' : 'some',
    };
  });
}

function identityOf({ namespace, blueprint_key: key }: Pick<Binding, 'namespace' | 'blueprint_key'>): string {
  return JSON.stringify([namespace ?? null, key ?? null]);
}

export function titleOf({ namespace, key }: Pick<Blueprint, 'namespace' | 'key'>): string {
  return [namespace, key ?? 'without a key'].filter((part) => part !== undefined).join(' / ');
}

const pages = { action: '/actions', skill: '/skills', agent: '/agents', table: '/tables' } as const;

/** The page of a bound resource. An action's has its name, which a binding does not hold. */
export function pageOf(type: Binding['resource_type'], id: string, name: string | undefined): string {
  return `${pages[type]}/${encodeURIComponent(type === 'action' ? (name ?? id) : id)}`;
}
