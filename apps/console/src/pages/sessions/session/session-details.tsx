import type { Reply } from '@aos/client';
import { Link } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useRows, useWrite } from '../../../api/hooks';
import { Badge, Button, ErrorNote, Facts, Id, numberText, Status, Time } from '../../../ui';
import { contextUse } from './context-use';
import { JsonText } from '../text/json-text';
import { visibleText } from '../text/visible-text';
import { useItems, useTranscript } from '../transcript/transcript-context';

type Session = Reply<'getSession'>;

/** What a session is, beside its transcript. */
export function SessionDetails({ session, agentName }: { session: Session; agentName: string | null }) {
  const metadata = session.metadata ?? {};
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={[
          ['Status', <Status key="status" value={session.status} />],
          [
            'Agent',
            <span key="agent" className="break-words">
              {agentName ?? session.agent_id}
            </span>,
          ],
          [
            'Key',
            <code key="key" className="font-mono text-xs break-all">
              {visibleText(session.session_key)}
            </code>,
          ],
          ['Id', <Id key="id" value={session.id} short />],
          session.model === undefined ? null : ['Model', session.model],
          session.model_override === undefined ? null : ['Chosen model', session.model_override],
          session.thinking_effort === undefined ? null : ['Thinking', session.thinking_effort],
          ['Origin', session.origin],
          session.owner.id ? ['Owner', <Id key="owner" value={session.owner.id} short />] : null,
          ['Visibility', session.visibility],
          ['Rows', numberText(session.message_count)],
          ['Made', <Time key="made" at={session.created_at} form="whole" />],
          session.last_message_at ? ['Last row', <Time key="last" at={session.last_message_at} />] : null,
          session.expires_at ? ['Ends', <Time key="ends" at={session.expires_at} form="whole" />] : null,
          session.forked_from_session_id === undefined
            ? null
            : [
                'Forked from',
                <Link
                  key="fork"
                  className="text-accent underline"
                  to="/sessions/$id"
                  params={{ id: session.forked_from_session_id }}
                >
                  row {session.forked_from_sequence}
                </Link>,
              ],
        ]}
      />
      <ContextUse session={session} />
      {Object.keys(metadata).length > 0 && <JsonText label="Metadata" value={metadata} />}
    </div>
  );
}

function ContextUse({ session }: { session: Session }) {
  const { feed, sessionId } = useTranscript();
  useItems(feed); // a turn that ends changes what is shown
  const models = useRows(call('catalog', 'listModels'));
  const model = session.model ?? session.model_override;
  const window =
    models.rows.flatMap(({ models: of }) => of).find(({ id }) => id === model)?.context_window_tokens ?? null;
  const use = contextUse(session, feed.view.turns.all(), window);
  const compact = useWrite((_: null) => call('sessions', 'compact', sessionId), {
    done: ({ compaction }) =>
      compaction?.in_progress === true ? 'Compaction began' : 'There is nothing new to sum up',
  });
  const failure = session.latest_compaction_failure;
  return (
    <section aria-label="Context" className="flex flex-col gap-2">
      <h3 className="flex items-center gap-2 text-xs font-semibold">
        Context {session.compaction?.in_progress === true && <Badge tone="info">compacting</Badge>}
      </h3>
      {use.share !== null && (
        <div
          role="meter"
          aria-label="Use of the model's window"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(use.share * 100)}
          className="bg-sunken h-1.5 overflow-hidden rounded-full"
        >
          <div className="bg-accent h-full min-w-1 rounded-full" style={{ width: `${use.share * 100}%` }} />
        </div>
      )}
      <Facts
        facts={[
          ['A call of the last turn', use.perCall === null ? 'not known yet' : `${numberText(use.perCall)} tokens`],
          ['Window', use.window === null ? 'not known' : `${numberText(use.window)} tokens`],
          ['Compacts at', use.threshold === null ? 'not by itself' : `${numberText(use.threshold)} tokens`],
          [
            'Tokens so far',
            `${numberText(session.token_input_total)} in, ${numberText(session.token_output_total)} out`,
          ],
          session.latest_compaction
            ? ['Summed up', `rows up to ${session.latest_compaction.covers_through_sequence}`]
            : null,
          failure === undefined ? null : ['Last pass failed', failure.error_type],
        ]}
      />
      {compact.error && <ErrorNote error={compact.error} />}
      {session.status === 'active' && session.compaction_policy?.strategy !== 'disabled' && (
        <Button
          className="self-start"
          needs={call('sessions', 'compact', sessionId)}
          busy={compact.isPending || session.compaction?.in_progress === true}
          onClick={() => compact.mutate(null)}
        >
          Compact now
        </Button>
      )}
    </section>
  );
}
