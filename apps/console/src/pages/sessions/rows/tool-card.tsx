import { useState } from 'react';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { CallShown, durationText, ErrorNote, Facts, Icon, Id, Skeleton, Status } from '../../../ui';
import { JsonText } from '../text/json-text';
import { visibleText } from '../text/visible-text';
import { callDuration, invocationOf, toolCallOf, type ToolCall } from '../transcript/tool-call';
import { useKeyed, useTranscript } from '../transcript/transcript-context';
import type { Block } from '../transcript/transcript-items';

/** A call of a tool: its name and state, and when it is opened input, output and the record of its execution. */
export function ToolCard({ block, calledAt, isFinal }: { block: Block; calledAt: string; isFinal: boolean }) {
  const { feed } = useTranscript();
  const [isOpen, setOpen] = useState(false);
  const result = useKeyed(feed.view.results, String(block['id']));
  const tool = toolCallOf(block, result);
  const took = isFinal ? callDuration(calledAt, result) : null;
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
      {isOpen && <CardBody tool={tool} />}
    </section>
  );
}

function CardBody({ tool }: { tool: ToolCall }) {
  return (
    <div className="border-line flex min-w-0 flex-col gap-3 border-t p-3">
      <JsonText label="Input" value={tool.input} />
      {tool.output !== undefined && <JsonText label="Output" value={tool.output} />}
      <Execution tool={tool} />
    </div>
  );
}

/** The record of the execution: attempts, delivery id, duration, answer. Tools of the service itself have none. */
function Execution({ tool }: { tool: ToolCall }) {
  const { sessionId } = useTranscript();
  const records = useRows(call('actionInvocations', 'list', { action_name: tool.name, limit: 100 }));
  const record = invocationOf(records.rows, sessionId, tool.id);
  if (records.isPending && records.lacks === null) return <Skeleton lines={2} />;
  if (records.error !== null) return <ErrorNote error={records.error} onRetry={records.reload} />;
  const of = [
    ['Call', <Id key="call" value={tool.id} />] as const,
    tool.shownAs === null ? null : (['The model saw', tool.shownAs] as const),
  ];
  if (record === undefined) return <Facts facts={of} />;
  return (
    <div className="flex flex-col gap-2">
      <Facts
        facts={[
          ...of,
          ['Attempts', record.retry_count + 1],
          record.delivery_id === undefined ? null : ['Delivery', <Id key="delivery" value={record.delivery_id} />],
          ['Took', durationText(Date.parse(record.finished_at) - Date.parse(record.started_at))],
          record.http_status === undefined ? null : ['Answered with', record.http_status],
          record.error_type === undefined ? null : ['Error', `${record.error_type}: ${record.error_message ?? ''}`],
        ]}
      />
      <div>
        <CallShown call={records.call} label="Records" />
      </div>
    </div>
  );
}
