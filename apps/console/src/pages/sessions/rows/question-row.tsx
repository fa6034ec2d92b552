import { memo } from 'react';
import type { Interaction } from '@aos/client';
import { useMe } from '../../../api/permissions';
import { AnswerForm } from '../../../questions/answer-form';
import { ReviewForm } from '../../../questions/review-form';
import { Status, Time } from '../../../ui';
import { JsonText } from '../text/json-text';
import { PlainText } from '../text/rich-text';
import { visibleText } from '../text/visible-text';
import { useKeyed, useTranscript } from '../transcript/transcript-context';

/** A question of the agent, where it asked: a form for those who are asked, else how it stands and how it ended. */
export const QuestionRow = memo(function QuestionRow({ interactionId }: { interactionId: string }) {
  const { feed } = useTranscript();
  const interaction = useKeyed(feed.view.interactions, interactionId);
  if (interaction === undefined) return null;
  const { title, description, status, context } = interaction;
  return (
    <section
      aria-label={`Question: ${title}`}
      className={`bg-surface rounded-lg border px-4 py-3 ${status === 'pending' || status === 'in_review' ? 'border-warn' : 'border-line'}`}
    >
      <header className="mb-2 flex flex-wrap items-center gap-2">
        <span className="text-xs font-semibold">Question</span>
        <Status value={status} />
        {interaction.expires_at && status === 'pending' && (
          <span className="text-muted text-xs">
            ends <Time at={interaction.expires_at} />
          </span>
        )}
      </header>
      <div className="flex min-w-0 flex-col gap-3">
        <p dir="auto" className="text-md font-medium break-words">
          {visibleText(title)}
        </p>
        {typeof description === 'string' && description !== '' && <PlainText text={description} max={4_000} />}
        {context && Object.keys(context).length > 0 && <JsonText label="Beside the question" value={context} />}
        <State interaction={interaction} />
      </div>
    </section>
  );
});

function State({ interaction }: { interaction: Interaction }) {
  const { feed } = useTranscript();
  const { principal } = useMe();
  const take = (changed: Interaction) => {
    feed.view.addInteractions([changed]);
    feed.wake();
  };
  const { status, target_user_ids: targets, outcome, created_by: creator } = interaction;
  if (status === 'pending') {
    const hasAnswered = interaction.responses?.some(
      ({ responder_user_id: by, attempt }) =>
        by === principal.id && (attempt ?? null) === (interaction.review_round ?? null),
    );
    if (!targets.includes(principal.id))
      return (
        <p className="text-muted">
          It waits for {targets.length === 1 ? 'another principal' : `one of ${targets.length} others`}: this key is not
          asked.
        </p>
      );
    if (hasAnswered === true) return <p className="text-muted">Your answer is recorded. It waits for the others.</p>;
    return <AnswerForm interaction={interaction} onAnswered={take} />;
  }
  if (status === 'in_review') {
    const reviewers = interaction.resolution_policy?.review?.reviewer_user_ids ?? [creator];
    if (reviewers.includes(principal.id)) return <ReviewForm interaction={interaction} onReviewed={take} />;
    return <p className="text-muted">The answer is in review.</p>;
  }
  if (status === 'completed')
    return (
      <>
        <ul className="flex flex-col gap-1">
          {(outcome?.answers ?? []).map((answer) => (
            <li key={answer.question_id} dir="auto" className="break-words">
              {answerText(answer)}
            </li>
          ))}
        </ul>
        {outcome?.comment !== undefined && <p className="text-muted break-words">“{visibleText(outcome.comment)}”</p>}
      </>
    );
  return (
    <p className="text-muted">
      {interaction.cancel_reason ? visibleText(interaction.cancel_reason) : 'It is closed without an answer.'}
    </p>
  );
}

function answerText({
  value,
  values,
  other,
  text,
}: {
  value?: string;
  values?: string[];
  other?: string;
  text?: string;
}): string {
  return visibleText(
    [value, values?.join(', '), other, text].filter((part) => part !== undefined && part !== '').join(', '),
  );
}
