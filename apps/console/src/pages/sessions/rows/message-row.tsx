import { memo, type ReactNode } from 'react';
import type { TranscriptMessage } from '@aos/client';
import { Badge, Time, type Tone } from '../../../ui';
import { JsonText } from '../text/json-text';
import { PlainText, RichText } from '../text/rich-text';
import { safeHref } from '../text/safe-href';
import { useKeyed, useTranscript } from '../transcript/transcript-context';
import type { Block, RowKind } from '../transcript/transcript-items';
import { Fold } from './fold';
import { ToolCard } from './tool-card';

const names: Readonly<Record<RowKind, string>> = {
  user: 'User',
  assistant: 'Agent',
  system: 'System',
  nudge: 'Nudge',
  outcome: 'Answer',
  context: 'Context',
  compaction: 'Summary',
  partial: 'Agent',
  results: 'Results',
};

const marks: Readonly<Partial<Record<RowKind, readonly [Tone, string]>>> = {
  nudge: ['info', 'steered the turn'],
  outcome: ['good', 'to a question'],
  partial: ['warn', 'kept of a turn that failed'],
};

/** One row of the transcript. It is rendered anew when its own record changes, and not when another's does. */
export const MessageRow = memo(function MessageRow({
  rowId,
  kind,
  isContinued,
}: {
  rowId: string;
  kind: RowKind;
  isContinued: boolean;
}) {
  const { feed } = useTranscript();
  const row = useKeyed(feed.view.rows, rowId);
  if (row === undefined) return null;
  if (kind === 'context') return <ContextRow row={row} />;
  if (kind === 'compaction') return <SummaryRow row={row} />;
  const isLive = row.status === 'streaming';
  return (
    <article
      aria-label={`${names[kind]}${row.sequence === null ? '' : `, row ${row.sequence}`}`}
      data-row-id={row.id}
      data-status={row.status}
      aria-busy={isLive}
      className={
        kind === 'user' || kind === 'nudge' || kind === 'outcome'
          ? 'bg-surface border-line rounded-lg border px-4 py-3'
          : 'px-4 py-1'
      }
    >
      {!isContinued && <RowHead row={row} kind={kind} />}
      <div className="flex min-w-0 flex-col gap-3">
        {(row.content as Block[]).map((block, index) => (
          <BlockView key={index} block={block} row={row} isGrowing={isLive} />
        ))}
        {isLive && row.content.length === 0 && <p className="text-muted">Writing…</p>}
      </div>
    </article>
  );
});

function RowHead({ row, kind }: { row: TranscriptMessage; kind: RowKind }) {
  const mark = marks[kind];
  return (
    <header className="mb-1 flex flex-wrap items-center gap-x-2 text-xs">
      <span className="font-semibold">{names[kind]}</span>
      {mark && <Badge tone={mark[0]}>{mark[1]}</Badge>}
      <span className="text-muted">
        <Time at={row.created_at} form="clock" />
      </span>
    </header>
  );
}

function BlockView({ block, row, isGrowing }: { block: Block; row: TranscriptMessage; isGrowing: boolean }): ReactNode {
  switch (String(block.type)) {
    case 'text':
      return <RichText text={String(block['text'] ?? '')} isGrowing={isGrowing} />;
    case 'thinking':
      return (
        <Fold summary={isGrowing ? 'Thinking…' : 'Thinking'}>
          <PlainText text={String(block['thinking'] ?? '')} />
        </Fold>
      );
    case 'tool_use':
      return <ToolCard block={block} row={row} />;
    case 'tool_result':
      return <JsonText label={`Result of ${String(block['tool_use_id'])}`} value={block['content']} />;
    case 'reminder':
      return <PlainText text={String(block['content'] ?? '')} />;
    case 'image':
    case 'document':
      return <Attachment block={block} />;
    default:
      return <JsonText label={String(block.type)} value={block} />;
  }
}

/** Nothing is loaded that a message names: an image or a document is a line, with a link where it has an address. */
function Attachment({ block }: { block: Block }) {
  const {
    source,
    title,
    media_type: type,
  } = block as { source?: Record<string, unknown>; title?: string; media_type?: string };
  const address = typeof source?.['url'] === 'string' ? source['url'] : null;
  const href = address === null ? null : safeHref(address);
  const name = title ?? address ?? (source?.['type'] === 'text' ? String(source['data'] ?? '') : 'inline bytes');
  const kind = String(type ?? source?.['media_type'] ?? '');
  return (
    <p className="border-line flex min-w-0 flex-wrap items-center gap-2 rounded-md border px-3 py-1.5 text-xs">
      <Badge>{block.type}</Badge>
      {href === null ? (
        <span dir="auto" className="min-w-0 break-words">
          {name.slice(0, 300)}
        </span>
      ) : (
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="text-accent min-w-0 break-words underline"
        >
          {name.slice(0, 300)}
        </a>
      )}
      {kind !== '' && <span className="text-muted">{kind}</span>}
    </p>
  );
}

/** Context that the caller's program gave the model beside the message. */
function ContextRow({ row }: { row: TranscriptMessage }) {
  return (
    <article aria-label="Context" data-row-id={row.id} className="px-4">
      {(row.content as Block[]).map((block, index) => (
        <Fold key={index} summary={`Context: ${String(block['name'] ?? '').replace(/^app-/, '')}`}>
          <PlainText text={String(block['content'] ?? '')} />
        </Fold>
      ))}
    </article>
  );
}

/** Where older rows were summed up: the model sees the summary in their place. */
function SummaryRow({ row }: { row: TranscriptMessage }) {
  const covers = row.covers_through_sequence;
  return (
    <article
      aria-label="Summary"
      data-row-id={row.id}
      className="border-info bg-info-soft/40 rounded-lg border border-dashed px-4 py-3"
    >
      <p className="text-info text-xs font-semibold">
        Compacted{covers === undefined || covers === null ? '' : `: rows up to ${covers} are summed up for the model`}
      </p>
      <Fold summary="Summary">
        {(row.content as Block[]).map((block, index) => (
          <RichText key={index} text={String(block['text'] ?? '')} />
        ))}
      </Fold>
    </article>
  );
}
