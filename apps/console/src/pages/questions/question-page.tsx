import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useItem } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { draftKey, isOpen, ownAnswer, reviewersOf, type Interaction } from '../../questions/words';
import { AnswerForm } from '../../questions/answer-form';
import { ReviewForm } from '../../questions/review-form';
import { Card, ItemView, Menu, Page, Status, type MenuItem } from '../../ui';
import { AboutQuestion, Lifecycle } from './about-question';
import { AskedThing } from './asked-thing';
import { Dismiss, Hide } from './end-question';
import { Responses } from './responses';
import { useNews } from './use-news';
import { useAgain } from '../../api/use-again';

const lookAgainMs = 5_000;

/** One question: what is asked, the form that answers or reviews it, what was answered, and its course. */
export default function QuestionPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const question = useItem(call('interactions', 'get', id));
  const [asked, setAsked] = useState<'dismiss' | 'hide' | null>(null);
  const { data } = question;
  // Its end is an event; an answer of several, and its way into and out of review, are none.
  useAgain(data !== undefined && isOpen(data) && isLong(data), () => void question.refetch(), lookAgainMs);
  useNews(data, useMe().principal.id);
  const close = (): void => setAsked(null);
  return (
    <Page
      title={data?.title ?? 'Question'}
      back={{ to: '/questions', label: 'Questions' }}
      lead={data && <Status value={data.status} />}
      call={question.call}
      actions={<Actions of={data} onAsk={setAsked} />}
    >
      <ItemView item={question}>
        {(value) => (
          <>
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-5">
                <AskedThing of={value} />
                <WhatToDo of={value} />
                <Responses of={value} />
              </div>
              <div className="flex min-w-0 flex-col gap-5">
                <AboutQuestion of={value} />
                <Lifecycle of={value} />
              </div>
            </div>
            {asked === 'dismiss' && <Dismiss of={value} onClose={close} />}
            {asked === 'hide' && <Hide of={value} onClose={close} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

function isLong({ target_user_ids: targets, resolution_policy: policy }: Interaction): boolean {
  return Boolean(policy?.review) || (targets.length > 1 && policy?.type !== 'any_of');
}

/** What this reader may do beside answering: those whom it concerns and administrators. */
function Actions({ of, onAsk }: { of: Interaction | undefined; onAsk: (what: 'dismiss' | 'hide') => void }) {
  const { principal, permissions } = useMe();
  if (of === undefined) return null;
  const isAdmin = permissions.includes('svc.org.admin');
  const isConcerned = [of.created_by, ...of.target_user_ids, ...reviewersOf(of)].includes(principal.id);
  const items: MenuItem[] = isOpen(of)
    ? [
        {
          label: 'Dismiss…',
          icon: 'close',
          needs: isConcerned || isAdmin ? call('interactions', 'cancel', of.id) : 'svc.org.admin',
          onSelect: () => onAsk('dismiss'),
        },
      ]
    : [
        {
          label: 'Hide…',
          icon: 'trash',
          danger: true,
          needs: of.created_by === principal.id ? call('interactions', 'delete', of.id) : 'svc.org.admin',
          onSelect: () => onAsk('hide'),
        },
      ];
  return <Menu label="More" items={items} />;
}

/** The form for this reader, or why there is none. */
function WhatToDo({ of }: { of: Interaction }) {
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
  if (!of.target_user_ids.includes(principal.id)) return <Note>Only those it was sent to may answer it.</Note>;
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
