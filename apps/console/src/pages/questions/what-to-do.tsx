import { useMe } from '../../api/permissions';
import { AnswerForm } from '../../questions/answer-form';
import { ReviewForm } from '../../questions/review-form';
import { draftKey, ownAnswer, reviewersOf, type Interaction } from '../../questions/words';
import { Card } from '../../ui';
import { AskedQuestions } from './asked-questions';

/** The form for this reader, or why there is none. */
export function WhatToDo({ of }: { of: Interaction }) {
  const { principal } = useMe();
  if (of.status === 'in_review')
    return reviewersOf(of).includes(principal.id) ? (
      <Card title="Review">
        <ReviewForm key={`${of.id} ${of.review_round}`} interaction={of} />
      </Card>
    ) : (
      <Note>It is answered and waits for its reviewers.</Note>
    );
  if (of.status === 'cancelled')
    return <Note>{of.cancel_reason ? `Dismissed: ${of.cancel_reason}` : 'Dismissed.'}</Note>;
  if (of.status === 'expired') return <Note>It expired before it was answered.</Note>;
  if (of.status !== 'pending') return null;
  if (ownAnswer(of, principal.id)) return <Note>You have answered. It stays open until enough others have.</Note>;
  if (!of.target_user_ids.includes(principal.id))
    return (
      <>
        <AskedQuestions of={of} />
        <Note>Only those it was sent to may answer it.</Note>
      </>
    );
  return (
    <Card title="Your answer">
      {of.review_feedback && (
        <p dir="auto" className="bg-warn-soft text-warn mb-4 rounded-md px-3 py-2 break-words whitespace-pre-wrap">
          Changes were asked for: {of.review_feedback}
        </p>
      )}
      <AnswerForm key={draftKey(of)} interaction={of} />
    </Card>
  );
}

function Note({ children }: { children: string }) {
  return (
    <p
      dir="auto"
      className="border-line bg-sunken text-muted rounded-md border px-3 py-2 break-words whitespace-pre-wrap"
    >
      {children}
    </p>
  );
}
