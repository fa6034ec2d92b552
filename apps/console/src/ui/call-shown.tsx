import * as Popover from '@radix-ui/react-popover';
import type { ApiCall } from '../api/call';
import { curlOf, typescriptOf } from '../api/call-text';
import { Button } from './button';
import { CodeTabs } from './code-tabs';

/** The API call that a view or a form makes, as curl and as TypeScript. */
export function CallShown({ call, label = 'API' }: { call: ApiCall; label?: string }) {
  const texts = [
    { name: 'curl', text: curlOf(call, location.origin) },
    { name: 'TypeScript', text: typescriptOf(call, location.origin) },
  ];
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <Button icon="code" aria-label={`${label}: show the API call`}>
          {label}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={12}
          aria-label="API call"
          className="bg-surface border-line shadow-raised z-50 w-[34rem] max-w-[calc(100vw-1.5rem)] rounded-lg border p-3"
        >
          <CodeTabs texts={texts} className="max-h-72 break-all" />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
