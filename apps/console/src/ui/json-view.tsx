import { useState } from 'react';
import { CopyButton } from './copy';
import { Icon } from './icon';

const openDepthDefault = 2;
const childrenMax = 200;

/** A value as a tree that folds. Text is shown as text, whatever it holds. */
export function JsonView({
  value,
  label = 'JSON',
  openDepth = openDepthDefault,
}: {
  value: unknown;
  label?: string;
  /** Levels that are unfolded at first. */
  openDepth?: number;
}) {
  return (
    <div className="relative">
      <div
        role="region"
        aria-label={label}
        tabIndex={0}
        className="bg-sunken max-h-[32rem] overflow-auto rounded-md p-3 pr-24 font-mono text-xs leading-5"
      >
        <Node value={value} depth={0} openDepth={openDepth} />
      </div>
      <div className="absolute top-2 right-2">
        <CopyButton text={JSON.stringify(value, null, 2)} />
      </div>
    </div>
  );
}

function Node({ name, value, depth, openDepth }: { name?: string; value: unknown; depth: number; openDepth: number }) {
  const [open, setOpen] = useState(depth < openDepth);
  const head = name === undefined ? null : <span className="text-accent">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="pl-4 break-words whitespace-pre-wrap">
        {head}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const [from, to] = Array.isArray(value) ? '[]' : '{}';
  return (
    <div>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="flex items-start text-left">
        <span className={open ? 'rotate-90' : ''}>
          <Icon name="chevron" size={14} />
        </span>
        <span>
          {head}
          {from}
          {!open && <span className="text-muted"> {entries.length} </span>}
          {!open && to}
        </span>
      </button>
      {open && (
        <div className="border-line ml-1.5 border-l pl-2">
          {entries.slice(0, childrenMax).map(([key, child]) => (
            <Node key={key} name={key} value={child} depth={depth + 1} openDepth={openDepth} />
          ))}
          {entries.length > childrenMax && (
            <p className="text-muted pl-4">{entries.length - childrenMax} more: copy to see all</p>
          )}
        </div>
      )}
      {open && <span className="pl-3.5">{to}</span>}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="text-good">{JSON.stringify(value)}</span>;
  if (typeof value === 'number') return <span className="text-info">{String(value)}</span>;
  return <span className="text-warn">{String(value)}</span>;
}
