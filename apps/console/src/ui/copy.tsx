import { useState } from 'react';
import { Button, IconButton } from './button';

const saidMs = 1_500;

function useCopied(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), saidMs);
    });
  };
  return { copied, copy };
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const { copied, copy } = useCopied(text);
  return (
    <Button icon={copied ? 'check' : 'copy'} onClick={copy}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** An id in full, or its end where there is little room, with a button that copies it. */
export function Id({ value, short = false }: { value: string; short?: boolean }) {
  const { copied, copy } = useCopied(value);
  const shown = short && value.length > 14 ? `…${value.slice(-8)}` : value;
  return (
    <span className="inline-flex h-5 max-w-full items-center align-top">
      <code title={value} className="text-muted min-w-0 truncate font-mono text-xs">
        {shown}
      </code>
      <IconButton
        label={copied ? 'Copied' : `Copy ${value}`}
        icon={copied ? 'check' : 'copy'}
        onClick={copy}
        className="size-6"
      />
    </span>
  );
}
