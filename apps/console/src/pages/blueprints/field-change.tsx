import { useState } from 'react';
import type { Schema } from '@aos/client';
import { visibleText } from '../sessions/text/visible-text';
import { changedLines } from './changed-lines';

const linesMax = 12;
const charactersMax = 4_000;

/** A field that a plan changes, with what goes and what comes, as far as the service gave it. */
export function FieldChange({ name, value }: { name: string; value: Schema<'BlueprintFieldChange'> | undefined }) {
  const lines = value === undefined ? null : changedLines(value.before, value.after);
  return (
    <div className="py-0.5 pl-4 font-mono">
      <span aria-hidden="true" className="text-warn inline-block w-4">
        ~
      </span>
      <span className="break-words">{name}</span>
      {lines !== null && lines.from !== null && lines.from > 1 && (
        <span className="text-muted"> from line {lines.from}</span>
      )}
      {lines !== null && (
        <>
          <Lines word="before" of={name} lines={lines.goes} />
          <Lines word="after" of={name} lines={lines.comes} />
        </>
      )}
    </div>
  );
}

const looks = {
  before: { sign: '−', className: 'text-bad bg-bad-soft' },
  after: { sign: '+', className: 'text-good bg-good-soft' },
} as const;

function Lines({ word, of, lines }: { word: keyof typeof looks; of: string; lines: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  if (lines.length === 0) return null;
  const { sign, className } = looks[word];
  const cut = lines.slice(0, linesMax).map((line) => line.slice(0, charactersMax));
  const isCut = lines.some((line, index) => line !== cut[index]);
  return (
    <div role="group" aria-label={`${of} ${word}`} className={`mt-1 ml-4 rounded-sm px-2 py-1 ${className}`}>
      {(isWhole ? lines : cut).map((line, index) => (
        // lines have no names of their own, and do not move
        <div key={index} className="flex gap-2">
          <span aria-hidden="true">{sign}</span>
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {visibleText(line)}
          </span>
        </div>
      ))}
      {isCut && !isWhole && (
        <button type="button" className="cursor-pointer underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
    </div>
  );
}
