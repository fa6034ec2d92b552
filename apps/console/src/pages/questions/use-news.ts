import { useEffect, useRef } from 'react';
import { useToast } from '../../api/say';
import { drafts } from '../../questions/draft-store';
import { draftKey, ownAnswer, type Interaction } from '../../questions/words';

/** What became of a request whose form is gone without the reader's doing. */
function became(of: Interaction, me: string): string {
  if (of.status === 'completed') return 'It was answered elsewhere.';
  if (of.status === 'cancelled') return 'It was dismissed elsewhere.';
  if (of.status === 'expired') return 'It has expired.';
  if (of.status === 'in_review') return 'It was answered elsewhere, and is in review.';
  return ownAnswer(of, me) ? 'You answered it elsewhere.' : 'Changes were asked for.';
}

/** Says so when the form goes while something was entered in it. */
export function useNews(of: Interaction | undefined, me: string): void {
  const say = useToast();
  const before = useRef<string | null>(null);
  useEffect(() => {
    if (of === undefined) return;
    const canAnswer = of.status === 'pending' && !ownAnswer(of, me);
    const key = canAnswer ? draftKey(of) : null;
    const gone = before.current;
    before.current = key;
    if (gone === null || gone === key) return;
    if (document.activeElement === document.body) document.querySelector('main')?.focus(); // the form had it
    const hadDraft = drafts.get(gone) !== undefined;
    drafts.drop(gone);
    if (hadDraft) say(`${became(of, me)} What you had entered was not sent.`);
  }, [of, me, say]);
}
