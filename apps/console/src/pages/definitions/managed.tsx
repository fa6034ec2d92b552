import { Link } from '@tanstack/react-router';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useAll } from '../../api/use-all';
import { Icon } from '../../ui';

export type Binding = Schema<'BlueprintBinding'>;

const bindingsMax = 5_000;

/** The blueprint that manages a resource; null when none does, or none is known. */
export function useBinding(resourceId: string | undefined): Binding | null {
  const bindings = useAll(call('blueprints', 'listBindings'), { max: bindingsMax });
  return bindings.rows.find(({ resource_id }) => resource_id === resourceId) ?? null;
}

/** Why nothing of a protected resource can be saved or deleted. */
export function protectionOf(binding: Binding | null): string | null {
  return binding?.protected ? 'Protected by its blueprint' : null;
}

/** Says that a blueprint manages a resource, and what that fixes. */
export function ManagedNote({ binding, fixed }: { binding: Binding | null; fixed?: string }) {
  if (binding === null) return null;
  return (
    <div className="border-line bg-sunken flex items-start gap-3 rounded-md border px-3 py-2">
      <span className="text-accent pt-0.5">
        <Icon name="blueprint" />
      </span>
      <p className="min-w-0 flex-1 break-words">
        Managed by blueprint <BlueprintLink binding={binding} /> as <code className="font-mono">{binding.key}</code>.{' '}
        {binding.protected
          ? 'It is protected: changes and deletion are refused until the protection is lifted there.'
          : 'The next apply sets again what the blueprint names.'}
        {fixed !== undefined && ` ${fixed}`}
      </p>
    </div>
  );
}

function BlueprintLink({ binding: { blueprint_key: key, namespace } }: { binding: Binding }) {
  if (key === undefined) return <span>without a key</span>;
  return (
    <Link
      to={`/blueprints/${encodeURIComponent(key)}`}
      search={namespace === undefined ? {} : ({ namespace } as never)}
      className="text-accent font-medium underline"
    >
      {namespace === undefined ? key : `${namespace} / ${key}`}
    </Link>
  );
}
