import { useState, type ReactNode } from 'react';
import { Icon } from '../../../ui';

/** A part that is folded until it is wanted. */
export function Fold({ summary, children }: { summary: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="text-muted hover:text-text flex max-w-full items-center gap-1 rounded-sm py-0.5 text-xs font-medium"
      >
        <span className={isOpen ? 'rotate-90' : ''}>
          <Icon name="chevron" size={14} />
        </span>
        <span className="truncate">{summary}</span>
      </button>
      {isOpen && <div className="border-line text-muted ms-1.5 border-s ps-3.5 pt-1">{children}</div>}
    </div>
  );
}
