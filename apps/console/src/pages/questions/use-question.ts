import { call } from '../../api/call';
import { useItem, type Item } from '../../api/hooks';
import { useLiveState } from '../../api/live';
import { useMe } from '../../api/permissions';
import { useAgain } from '../../api/use-again';
import { isOpen, type Interaction } from '../../questions/words';
import { useNews } from './use-news';

const lookAgainMs = 5_000;

/** One question, read anew while it is open, with a word when its form goes without the reader's doing. */
export function useQuestion(id: string): Item<Interaction> {
  const question = useItem(call('interactions', 'get', id));
  const { data } = question;
  const hasEvents = useLiveState() !== 'off';
  // Its end is an event; an answer of several, and its way into and out of review, are none.
  const isSilent = data !== undefined && isOpen(data) && (isLong(data) || !hasEvents);
  useAgain(isSilent, () => void question.refetch(), lookAgainMs);
  useNews(data, useMe().principal.id);
  return question;
}

function isLong({ target_user_ids: targets, resolution_policy: policy }: Interaction): boolean {
  return Boolean(policy?.review) || (targets.length > 1 && policy?.type !== 'any_of');
}
