import { useState, type KeyboardEvent } from 'react';
import { Link } from '@tanstack/react-router';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useService } from '../../api/hooks';
import { Button, CallShown, ErrorNote } from '../../ui';
import { textAfter } from '../sessions/composer/text-after';
import type { Column, OutputSchema } from './playground-columns';

type Invocation = RequestBody<'invokeAgent'>;
type Schema = OutputSchema['schema'];

/** One message for all columns: it begins a session in those that have none, and a turn in the others. */
export function Sender({
  agentId,
  columns,
  output: { schema, fault },
  onBegun,
}: {
  agentId: string;
  columns: readonly Column[];
  output: OutputSchema;
  onBegun: (columns: readonly Column[]) => void;
}) {
  const [text, setText] = useState('');
  const { send, errors, isBusy } = useSendToAll(agentId, columns, schema, onBegun);
  const isReady = text.trim() !== '' && fault === null && !isBusy;
  const take = () => {
    if (isReady) void send(text).then((isSent) => isSent && setText((now) => textAfter(now, text)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    take();
  };
  return (
    <div className="border-line bg-surface border-t">
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-2 px-3 py-3 md:px-4">
        {errors.map((error, index) => (
          <ErrorNote key={index} error={error} />
        ))}
        <div className="border-line-strong/60 focus-within:border-accent rounded-lg border">
          <textarea
            aria-label="Message"
            dir="auto"
            rows={Math.min(8, Math.max(2, text.split('\n').length))}
            placeholder={columns.length > 1 ? `Write to all ${columns.length}…` : 'Write to the agent…'}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="placeholder:text-muted block w-full resize-none bg-transparent px-3 pt-2.5 pb-1 outline-none"
          />
          <div className="flex flex-wrap items-center gap-2 px-2 pb-2">
            <CallShown call={call('agents', 'invoke', invocation(agentId, columns[0]?.model ?? '', text, schema))} />
            <span className="text-muted text-2xs max-sm:hidden">Enter sends, Shift+Enter breaks the line</span>
            <span className="flex-1" />
            <Button look="primary" icon="send" busy={isBusy} disabled={!isReady} onClick={take}>
              Send
            </Button>
          </div>
        </div>
        {columns.some(({ sessionId }) => sessionId !== null) && (
          <p className="text-muted text-xs">
            The conversations are sessions, kept until they are deleted. They stand in{' '}
            <Link to="/sessions" search={{ metadata: 'playground:true' } as never} className="underline">
              Sessions
            </Link>{' '}
            too.
          </p>
        )}
      </div>
    </div>
  );
}

/** Sends to each column; those that were refused stay as they are, and say why. */
function useSendToAll(
  agentId: string,
  columns: readonly Column[],
  schema: Schema,
  onBegun: (columns: readonly Column[]) => void,
): { send: (text: string) => Promise<boolean>; errors: readonly Error[]; isBusy: boolean } {
  const svc = useService();
  const [isBusy, setBusy] = useState(false);
  const [errors, setErrors] = useState<readonly Error[]>([]);
  const sendTo = async ({ model, sessionId }: Column, text: string): Promise<Column> => {
    if (sessionId === null) {
      const { session_id: begun } = await svc.agents.invoke(invocation(agentId, model, text, schema));
      return { model, sessionId: begun };
    }
    const input = { content: [{ type: 'text', text }] };
    const body = { input, ...(schema === null ? {} : { output: { schema } }) };
    await svc.turns.start(sessionId, body as RequestBody<'startTurn'>);
    return { model, sessionId };
  };
  const send = async (text: string): Promise<boolean> => {
    setBusy(true);
    const settled = await Promise.allSettled(columns.map((column) => sendTo(column, text)));
    const isSent = settled.some(({ status }) => status === 'fulfilled');
    setErrors(settled.flatMap((one) => (one.status === 'rejected' ? [asError(one.reason)] : [])));
    if (isSent)
      onBegun(settled.map((one, index) => (one.status === 'fulfilled' ? one.value : (columns[index] as Column))));
    setBusy(false);
    return isSent;
  };
  return { send, errors, isBusy };
}

function invocation(agentId: string, model: string, text: string, schema: Schema): Invocation {
  const session = {
    mode: 'new',
    title: 'Playground',
    metadata: { playground: true },
    ...(model === '' ? {} : { model_override: model }),
  };
  const input = { content: [{ type: 'text', text }] };
  const body: unknown = {
    agent_ref: { id: agentId },
    session,
    input,
    ...(schema === null ? {} : { output: { schema } }),
  };
  return body as Invocation;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
