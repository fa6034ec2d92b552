import * as Radix from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';

export interface Tab {
  value: string;
  label: ReactNode;
  content: ReactNode;
}

/**
 * Views of one thing. With `value` and `onChange` the page keeps which one is open, for its address; one that there is
 * not is the first.
 */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: readonly Tab[];
  value?: string;
  onChange?: (value: string) => void;
}) {
  const first = tabs[0]?.value;
  const open = tabs.some((tab) => tab.value === value) ? value : first;
  return (
    <Radix.Root
      {...(value === undefined ? { defaultValue: first } : { value: open })}
      onValueChange={onChange}
      className="flex min-w-0 flex-col gap-4"
    >
      <Radix.List aria-label={label} className="border-line flex gap-4 overflow-x-auto border-b">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="text-muted hover:text-text data-[state=active]:border-accent data-[state=active]:text-text -mb-px border-b-2 border-transparent px-0.5 pt-1 pb-2 text-sm font-medium whitespace-nowrap -outline-offset-2"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="min-w-0">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
