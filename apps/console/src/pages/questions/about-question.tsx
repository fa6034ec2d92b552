import { PrincipalName, SessionLink } from '../../names/name';
import { isOpen, kindWords, policyText, reviewersOf, type Interaction } from '../../questions/words';
import { Card, Facts, Id, Status, Time } from '../../ui';
import { AskedBy } from './question-table';

export function AboutQuestion({ of }: { of: Interaction }) {
  const reviewers = reviewersOf(of);
  const callback = of.consumer?.http_subscriber?.delivery;
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" value={of.id} short />],
          ['Kind', kindWords[of.kind] ?? of.kind],
          ['Asked by', <AskedBy key="by" of={of} />],
          of.session_id ? ['Session', <SessionLink key="session" id={of.session_id} />] : null,
          ['Sent to', <Names key="to" ids={of.target_user_ids} />],
          ['Decided', policyText(of)],
          reviewers.length > 0 ? ['Reviewers', <Names key="reviewers" ids={reviewers} />] : null,
          of.review_round ? ['Round', String(of.review_round)] : null,
          of.expires_at ? [isOpen(of) ? 'Expires' : 'Expiry', <Time key="expires" at={of.expires_at} />] : null,
          ['Asked', <Time key="asked" at={of.created_at} form="whole" />],
          of.completed_at ? ['Answered', <Time key="done" at={of.completed_at} form="whole" />] : null,
          of.resolved_by ? ['Ended by', of.resolved_by.replace(/_/g, ' ')] : null,
          callback
            ? [
                'Callback',
                <span key="callback">
                  <Status value={callback.status} /> after {callback.attempts}{' '}
                  {callback.attempts === 1 ? 'attempt' : 'attempts'}
                </span>,
              ]
            : null,
        ]}
      />
    </Card>
  );
}

const shownMax = 10;

function Names({ ids }: { ids: readonly string[] }) {
  return (
    <span className="flex flex-col">
      {ids.slice(0, shownMax).map((id) => (
        <PrincipalName key={id} id={id} />
      ))}
      {ids.length > shownMax && <span className="text-muted">and {ids.length - shownMax} more</span>}
    </span>
  );
}

/** What happened to it, oldest first. */
export function Lifecycle({ of: { lifecycle = [] } }: { of: Interaction }) {
  if (lifecycle.length === 0) return null;
  return (
    <Card title="Course">
      <ol className="flex flex-col gap-3">
        {lifecycle.map(({ at, action, actor_id, comment, round }, index) => (
          <li key={index} className="border-line min-w-0 border-l-2 pl-3">
            <p className="first-letter:uppercase">
              {action.replace(/_/g, ' ')}
              {round ? <span className="text-muted"> · round {round}</span> : null}
            </p>
            <p className="text-muted text-xs">
              {actor_id && (
                <>
                  <PrincipalName id={actor_id} /> ·{' '}
                </>
              )}
              <Time at={at} />
            </p>
            {comment && (
              <p dir="auto" className="break-words whitespace-pre-wrap">
                {comment}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}
