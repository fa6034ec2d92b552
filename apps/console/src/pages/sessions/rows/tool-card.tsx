import { useState } from 'react';
import type { TranscriptMessage } from '@aos/client';
import { call } from '../../../api/call';
import { useAll } from '../../../api/use-all';
import { CallShown, durationText, ErrorNote, Facts, Icon, Id, Skeleton, Status } from '../../../ui';
import { JsonText } from '../text/json-text';
import { visibleText } from '../text/visible-text';
import { callDuration, toolCallOf, type ToolCall } from '../transcript/tool-call';
import { useKeyed, useTranscript } from '../transcript/transcript-context';
import type { Block } from '../transcript/transcript-items';

/** A call of a tool: its name and state, and when it is opened input, output and the record of its execution. */
export function ToolCard({ block, row }: { block: Block; row: TranscriptMessage }) {
  const { feed } = useTranscript();
  const [isOpen, setOpen] = useState(false);
  const result = useKeyed(feed.view.results, String(block['id']));
  const tool = toolCallOf(block, result);
  const took = row.status === 'streaming' ? null : callDuration(row.created_at, result);
  return (
    <section aria-label={`Tool call ${tool.name}`} className="border-line bg-surface min-w-0 rounded-md border">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="hover:bg-hover flex min-h-9 w-full min-w-0 items-center gap-2 rounded-md px-3 py-1 text-left"
      >
        <span className="text-muted">
          <Icon name="action" />
        </span>
        <code className="min-w-0 flex-1 truncate font-mono text-xs">{visibleText(tool.name)}</code>
        {took !== null && <span className="text-muted text-xs tabular-nums">{durationText(took)}</span>}
        <Status value={tool.status} />
        <span className={isOpen ? 'text-muted rotate-90' : 'text-muted'}>
          <Icon name="chevron" size={14} />
        </span>
      </button>
      {tool.progress !== null && <JsonText label="Progress" value={tool.progress} max={600} />}
      {isOpen && <CardBody tool={tool} turnId={row.turn_id ?? null} />}
    </section>
  );
}

function CardBody({ tool, turnId }: { tool: ToolCall; turnId: string | null }) {
  return (
    <div className="border-line flex min-w-0 flex-col gap-3 border-t p-3">
      <JsonText label="Input" value={tool.input} />
      {tool.output !== undefined && <JsonText label="Output" value={tool.output} />}
      {turnId === null ? <Facts facts={callFacts(tool)} /> : <Execution tool={tool} turnId={turnId} />}
    </div>
  );
}

function callFacts({ id, shownAs }: ToolCall) {
  return [
    ['Call', <Id key="call" value={id} />] as const,
    shownAs === null ? null : (['The model saw', shownAs] as const),
  ];
}

/** The record of the execution: attempts, delivery id, duration, answer. A call that was not carried out has none. */
function Execution({ tool, turnId }: { tool: ToolCall; turnId: string }) {
  const ofTurn = call('actionInvocations', 'list', { action_name: tool.name, correlation_id: turnId, limit: 100 });
  const records = useAll(ofTurn);
  const record = records.rows.find(({ tool_call_id: callId }) => callId === tool.id);
  if (records.isPending && records.lacks === null) return <Skeleton lines={2} />;
  if (records.error !== null) return <ErrorNote error={records.error} onRetry={records.reload} />;
  if (record === undefined) return <Facts facts={callFacts(tool)} />;
  return (
    <div className="flex flex-col gap-2">
      <Facts
        facts={[
          ...callFacts(tool),
          ['Attempts', record.retry_count + 1],
          record.delivery_id === undefined ? null : ['Delivery', <Id key="delivery" value={record.delivery_id} />],
          ['Took', durationText(Date.parse(record.finished_at) - Date.parse(record.started_at))],
          record.http_status === undefined ? null : ['Answered with', record.http_status],
          record.error_type === undefined ? null : ['Error', `${record.error_type}: ${record.error_message ?? ''}`],
        ]}
      />
      <div>
        <CallShown call={ofTurn} label="Records" />
      </div>
    </div>
  );
}
