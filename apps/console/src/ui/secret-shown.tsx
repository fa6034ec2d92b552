import type { ReactNode } from 'react';
import { Button } from './button';
import { CopyButton } from './copy';
import { Dialog } from './dialog';

/** A signing secret, which the service gives out once. */
export function SecretShown({
  text,
  description,
  onClose,
}: {
  text: string;
  /** What it is for. */
  description: ReactNode;
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      onClose={onClose}
      title="Signing secret"
      description={<>It is shown once. {description}</>}
      footer={
        <Button look="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <code
          aria-label="Signing secret"
          className="bg-sunken min-w-0 flex-1 rounded-md px-3 py-2 font-mono text-xs break-all select-all"
        >
          {text}
        </code>
        <CopyButton text={text} />
      </div>
    </Dialog>
  );
}
