import { useState } from 'react';
import type { Reply, RequestBody } from '@aos/client';
import { call } from '../api/call';
import { useWrite } from '../api/hooks';
import { Button, CallShown, ErrorNote, TextArea } from '../ui';

type Body = RequestBody<'reviewInteraction'>;

/** The form that decides on submitted work: it is accepted, or changes are asked for, with a comment. */
export function ReviewForm({
  interaction,
  onReviewed,
}: {
  interaction: Reply<'getInteraction'>;
  onReviewed?: (reviewed: Reply<'reviewInteraction'>) => void;
}) {
  const [comment, setComment] = useState('');
  const [isTried, setTried] = useState(false);
  const review = useWrite((body: Body) => call('interactions', 'review', interaction.id, body), {
    done: 'Reviewed',
    changes: ['sessions', 'turns'],
    onDone: (reviewed) => onReviewed?.(reviewed),
  });
  const said = comment.trim() === '' ? {} : { comment };
  const error = isTried && comment.trim() === '' ? 'Say what is to be changed.' : null;
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        label="Comment"
        rows={2}
        dir="auto"
        error={error}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      {review.error && <ErrorNote error={review.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={call('interactions', 'review', interaction.id, { action: 'accept', ...said } as Body)} />
        <div className="flex gap-2">
          <Button
            busy={review.isPending}
            onClick={() => {
              setTried(true);
              if (comment.trim() !== '') review.mutate({ action: 'request_changes', comment } as Body);
            }}
          >
            Ask for changes
          </Button>
          <Button
            look="primary"
            busy={review.isPending}
            onClick={() => review.mutate({ action: 'accept', ...said } as Body)}
          >
            Accept
          </Button>
        </div>
      </div>
    </div>
  );
}
