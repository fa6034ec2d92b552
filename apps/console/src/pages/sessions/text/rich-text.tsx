import { lazy, memo, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { loaded } from '../../../page-loading';
import { numberText } from '../../../ui';
import { cutText } from './cut-text';
import { markdownParts } from './markdown-parts';
import { visibleText } from './visible-text';

const Markdown = lazy(() => loaded(() => import('./markdown')));
/** What is shown of a long text at first. */
const firstChars = 8_000;
/** A longer paragraph, or a longer text that is shown whole, is not read as Markdown: that would hold the page up. */
const partChars = 20_000;
const markdownChars = 200_000;
/** The paragraph that is being written is read anew for each picture. */
const growingPartChars = 4_000;

/** A text of a message, read as Markdown; a long one is cut until it is wanted whole. */
export function RichText({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const [isWhole, setWhole] = useState(isGrowing);
  const { shown, left } = useMemo(
    () => (isWhole ? { shown: text, left: 0 } : cutText(text, firstChars)),
    [text, isWhole],
  );
  const safe = useMemo(() => visibleText(shown), [shown]);
  return (
    <div className="flex min-w-0 flex-col gap-2.5 [overflow-wrap:anywhere]" dir="auto">
      {safe.length > markdownChars ? <LongText text={safe} /> : <Parts text={safe} isGrowing={isGrowing} />}
      <ShowAll left={left} onAll={() => setWhole(true)} />
    </div>
  );
}

/** A text as it stands, with its breaks; a long one is cut until it is wanted whole. */
export function PlainText({ text, max = firstChars, mono = false }: { text: string; max?: number; mono?: boolean }) {
  const [isWhole, setWhole] = useState(false);
  const { shown, left } = useMemo(
    () => (isWhole ? { shown: text, left: 0 } : cutText(text, max)),
    [text, isWhole, max],
  );
  const safe = useMemo(() => visibleText(shown), [shown]);
  return (
    <div className={`flex min-w-0 flex-col gap-2 ${mono ? 'font-mono text-xs leading-5' : ''}`}>
      <LongText text={safe} />
      <ShowAll left={left} onAll={() => setWhole(true)} />
    </div>
  );
}

function ShowAll({ left, onAll }: { left: number; onAll: () => void }) {
  if (left === 0) return null;
  return (
    <button type="button" onClick={onAll} className="text-accent self-start font-sans text-xs font-medium underline">
      Show all: {numberText(left)} more characters
    </button>
  );
}

function Parts({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const parts = useMemo(() => markdownParts(text), [text]);
  return parts.map((part, index) => {
    const isLast = isGrowing && index === parts.length - 1;
    return <Part key={index} text={part} isPlain={part.length > (isLast ? growingPartChars : partChars)} />;
  });
}

/** A part as it stands at first; it is read as Markdown when there is time between two pictures. */
const Part = memo(function Part({ text, isPlain }: { text: string; isPlain: boolean }) {
  const hasTime = useDeferredValue(true, false);
  const plain = <LongText text={text} />;
  if (isPlain || !hasTime) return plain;
  return (
    <Suspense fallback={plain}>
      <Markdown text={text} />
    </Suspense>
  );
});

const pieceChars = 20_000;

/** A text of any length: what is far from the screen is not laid out. */
function LongText({ text }: { text: string }) {
  if (text.length <= pieceChars)
    return (
      <p dir="auto" className="[overflow-wrap:anywhere] whitespace-pre-wrap">
        {text}
      </p>
    );
  const pieces = Array.from({ length: Math.ceil(text.length / pieceChars) }, (_, index) =>
    text.slice(index * pieceChars, (index + 1) * pieceChars),
  );
  return (
    <div dir="auto">
      {pieces.map((piece, index) => (
        <span
          key={index}
          className="block [overflow-wrap:anywhere] whitespace-pre-wrap [contain-intrinsic-size:auto_60rem] [content-visibility:auto]"
        >
          {piece}
        </span>
      ))}
    </div>
  );
}
