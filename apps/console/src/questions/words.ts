import type { Reply, Schema } from '@aos/client';

export type Interaction = Reply<'getInteraction'>;
type Response = Interaction['responses'] extends (infer One)[] | undefined ? One : never;

/** What the API's words for a request mean to a reader. */
export const kindWords: Record<string, string> = {
  request_information: 'Information',
  request_approval: 'Approval',
  request_review: 'Review',
  assign_work: 'Work',
};

export const statuses = ['pending', 'in_review', 'completed', 'expired', 'cancelled'] as const;

export function isOpen({ status }: Pick<Interaction, 'status'>): boolean {
  return status === 'pending' || status === 'in_review';
}

/** The answer of one principal in the present round. */
export function ownAnswer({ responses = [], review_round: round }: Interaction, me: string): Response | undefined {
  return responses.find(({ responder_user_id: id, attempt }: Response) => id === me && (attempt ?? 1) === (round ?? 1));
}

/** Those who decide on submitted work: the named ones, else who asked; none when no review is set. */
export function reviewersOf({ resolution_policy: policy, created_by: creator }: Interaction): readonly string[] {
  if (!policy?.review) return [];
  const named = policy.review.reviewer_user_ids ?? [];
  if (named.length > 0) return named;
  return creator ? [creator] : [];
}

/** An answer in the words of its form. */
export function answerText(
  { mode, options = [] }: Schema<'InteractionQuestion'>,
  answer: Schema<'InteractionAnswer'> | undefined,
): string {
  if (!answer) return 'No answer';
  if (mode === 'confirm') return answer.value === 'approved' ? 'Approved' : 'Rejected';
  const labelOf = (value: string): string => options.find((option) => option.value === value)?.label ?? value;
  return [
    ...(answer.value === undefined ? [] : [labelOf(answer.value)]),
    ...(answer.values ?? []).map(labelOf),
    answer.other,
    answer.text,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Only addresses of the web become links. */
export function webAddress(url: string | undefined): string | null {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : null;
}

/** When enough have answered, in words. */
export function policyText({ resolution_policy: policy, target_user_ids: targets }: Interaction): string {
  const type = policy?.type ?? 'any_of';
  const text =
    type === 'any_of'
      ? 'The first answer decides'
      : type === 'all_of'
        ? `All ${targets.length} must answer`
        : `${policy?.threshold ?? targets.length} of ${targets.length} must answer`;
  return policy?.review ? `${text}, then it is reviewed` : text;
}

/** A draft belongs to one round of a request. */
export function draftKey({ id, review_round: round }: Pick<Interaction, 'id' | 'review_round'>): string {
  return `${id} ${round ?? 1}`;
}

/** Whether a request was asked by, sent to, or is reviewed by a principal. */
export function concerns(of: Interaction, principal: string): boolean {
  return [of.created_by, ...of.target_user_ids, ...reviewersOf(of)].includes(principal);
}
