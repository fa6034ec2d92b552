import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useMe } from '../api/permissions';
import { Id } from '../ui';
import { useAgentNames, usePrincipalNames } from './use-names';

/** A principal by its name, with the words for the reader's own; by its id where the name is not known. */
export function PrincipalName({ id }: { id: string | null | undefined }) {
  const { principal } = useMe();
  const name = usePrincipalNames({ enabled: Boolean(id) }).get(id ?? '');
  if (!id) return <span className="text-muted">none</span>;
  if (name === undefined) return <Id value={id} short />;
  return (
    <bdi title={id} className="inline-block max-w-48 truncate align-bottom">
      {name}
      {id === principal.id && <span className="text-muted"> (you)</span>}
    </bdi>
  );
}

/** An agent by its name, as a link to its page. */
export function AgentName({ id, link = true }: { id: string; link?: boolean }) {
  const name = useAgentNames().get(id);
  const said = <bdi className="inline-block max-w-48 truncate align-bottom">{name ?? id}</bdi>;
  if (!link) return said;
  return (
    <Link to="/agents/$id" params={{ id }} className="text-accent hover:underline">
      {said}
    </Link>
  );
}

/** A session as a link to its page; by its id when nothing else is said. */
export function SessionLink({
  id,
  wholeRow = false,
  children,
}: {
  id: string;
  /** The link takes the whole row of its table. */
  wholeRow?: boolean;
  children?: ReactNode;
}) {
  const shape = wholeRow ? 'after:absolute after:inset-0' : 'text-accent break-all hover:underline';
  return (
    <Link to="/sessions/$id" params={{ id }} className={shape}>
      {children ?? id}
    </Link>
  );
}
