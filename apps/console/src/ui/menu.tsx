import * as Radix from '@radix-ui/react-dropdown-menu';
import { useLacks } from '../api/permissions';
import type { ApiCall } from '../api/call';
import { IconButton } from './button';
import { Icon, type IconName } from './icon';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  needs?: ApiCall | string | null;
  onSelect: () => void;
}

/** Further things to do with what is shown. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>
        <IconButton label={label} icon="more" look="plain" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="bg-surface border-line shadow-raised z-50 min-w-44 rounded-lg border p-1"
        >
          {items.map((item) => (
            <Entry key={item.label} {...item} />
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Entry({ label, icon, danger = false, needs, onSelect }: MenuItem) {
  const lacks = useLacks(needs);
  return (
    <Radix.Item
      disabled={lacks !== null}
      onSelect={onSelect}
      className={`data-[highlighted]:bg-hover flex cursor-default items-center gap-2 rounded-md px-2 py-1.5 text-sm data-[disabled]:opacity-60 ${danger ? 'text-bad' : ''}`}
    >
      {icon && <Icon name={icon} />}
      {lacks === null ? label : `${label}: needs ${lacks}`}
    </Radix.Item>
  );
}
