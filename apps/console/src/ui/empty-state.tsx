import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';

/** In place of an empty list: what belongs here, and what to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
      <span className="bg-accent-soft text-accent flex size-10 items-center justify-center rounded-lg">
        <Icon name={icon} size={20} />
      </span>
      <p className="text-md pt-1 font-semibold">{title}</p>
      <div className="text-muted max-w-md">{children}</div>
      {action && <div className="pt-2">{action}</div>}
    </div>
  );
}
