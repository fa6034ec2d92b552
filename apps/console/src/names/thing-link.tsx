import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';

/** By the API's word for a thing: the page that shows one. */
const pageOf: Record<string, string> = {
  session: '/sessions/$id',
  agent: '/agents/$id',
  skill: '/skills/$id',
  action: '/actions/$id',
  table: '/tables/$id',
  routine: '/routines/$id',
  interaction: '/questions/$id',
  principal: '/access/principals/$id',
};

/** Its children as a link to the thing's page; plain where the console has no page for it. */
export function ThingLink({
  type,
  id,
  children,
}: {
  type: string | undefined;
  id: string | undefined;
  children: ReactNode;
}) {
  const to = pageOf[type ?? ''];
  if (to === undefined || id === undefined) return children;
  return (
    <Link to={to} params={{ id }} className="text-accent hover:underline">
      {children}
    </Link>
  );
}
