import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { call, carryOut, keyOf } from '../../api/call';
import { useService } from '../../api/hooks';
import { Button, durationText, ErrorNote, JsonView, Status } from '../../ui';

const askMs = 2_000;
const askedMaxMs = 15 * 60_000;

/** A run that was not done in time. Its record is asked for until it is there: invocations have no stream. */
export function RunningJob({ action, jobId }: { action: string; jobId: string }) {
  const svc = useService();
  const [started] = useState(() => Date.now());
  const [now, setNow] = useState(started);
  const [isWaiting, setWaiting] = useState(true);
  const of = call('actionInvocations', 'list', { action_name: action, job_id: jobId, limit: 1 });
  const record = useQuery({
    queryKey: [...keyOf(of), 'job'],
    queryFn: ({ signal }) => carryOut(svc, of, signal).page(),
    refetchInterval: ({ state }) => (isWaiting && !state.data?.items?.[0] ? askMs : false),
  });
  const [found] = record.data?.items ?? [];
  useEffect(() => {
    if (found !== undefined || !isWaiting) return undefined;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() - started > askedMaxMs) setWaiting(false);
    }, 1_000);
    return () => clearInterval(timer);
  }, [found, isWaiting, started]);
  if (record.error) return <ErrorNote error={record.error} onRetry={() => void record.refetch()} />;
  if (found === undefined)
    return (
      <div className="flex flex-wrap items-center gap-3">
        <Status value="running" />
        <p className="text-muted">
          {isWaiting ? `For ${durationText(now - started)}. Its record appears here.` : 'It is not done yet.'}
        </p>
        {!isWaiting && <Button onClick={() => void record.refetch()}>Look again</Button>}
      </div>
    );
  return (
    <div className="flex flex-col gap-2">
      <p>
        <Status value={found.status === 'success' ? 'completed' : found.status} />
      </p>
      {found.error_message !== undefined && <p className="text-bad break-words">{found.error_message}</p>}
      {found.output_summary !== undefined && <JsonView label="Output" value={found.output_summary} />}
    </div>
  );
}
