import type { Schema } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import type { Answer, Question } from '../interaction/interaction.events.js';
import type { InteractionState } from '../interaction/interaction.state.js';

const titles = { completed: 'Request answered', cancelled: 'Request dismissed', expired: 'Request expired' } as const;
/** Characters that the model reads of one answer, and of all answers; the record keeps them whole. */
const answerCharactersMax = 4_000;
const textCharactersMax = 32_000;
const summaryCharactersMax = 300;
const excerptCharactersMax = 1_000;

/** The row that an outcome is in the asking session (rule S31). */
export type OutcomeRow = { content: Schema<'TextBlock'>[]; metadata: JsonObject };

/** Takes a closed interaction with large values put back. */
export function outcomeRow(state: InteractionState): OutcomeRow {
  const { opening, resolution, status, responses } = state;
  if (!opening || !resolution || status === 'pending' || status === 'in_review') throw new Error('no outcome yet');
  const title = titles[status];
  const counted = responses.filter(({ id }) => resolution.response_ids.includes(id));
  const lines = [`${title}: "${opening.title}" (interaction ${opening.id}, ${opening.kind}, status ${status}).`];
  for (const { responder_id: responder, answers, comment } of counted) {
    lines.push(`${responder} answered:`);
    for (const question of opening.questions)
      lines.push(`- ${question.prompt}: ${cut(spoken(question, answers), answerCharactersMax)}`);
    if (comment !== null) lines.push(`Comment: ${cut(comment, answerCharactersMax)}`);
  }
  if (status === 'cancelled')
    lines.push(
      resolution.cancel_reason === null
        ? 'No reason was given.'
        : `Reason: ${cut(resolution.cancel_reason, answerCharactersMax)}`,
    );
  if (status === 'expired') lines.push(whyExpired(state));
  const resolving = counted.find(({ id }) => id === resolution.resolving_response_id);
  const excerpt = resolving
    ? opening.questions.map((question) => spoken(question, resolving.answers)).join('; ')
    : (resolution.cancel_reason ?? '');
  return {
    content: [{ type: 'text', text: cut(lines.join('\n'), textCharactersMax) }],
    metadata: {
      event_type: 'interaction.resolved',
      interaction_id: opening.id,
      event_projection: {
        title,
        summary: cut(opening.title, summaryCharactersMax),
        ...(excerpt === '' ? {} : { excerpt: cut(excerpt, excerptCharactersMax) }),
      },
    },
  };
}

/** What was missing when it expired: answers without the rest, or without a review, are no outcome (rule I38). */
function whyExpired(state: InteractionState): string {
  if (state.submittedResponseId !== null) return 'It was answered, but not reviewed in time.';
  if (state.responses.length === 0) return 'Nobody answered in time.';
  return 'There were answers, but not all that it needed in time.';
}

/** An answer in the words of its form. */
function spoken({ id, options = [] }: Question, answers: readonly Answer[]): string {
  const answer = answers.find(({ question_id }) => question_id === id);
  if (!answer) return '(no answer)';
  const label = (value: string) => options.find((option) => option.value === value)?.label ?? value;
  const parts = [
    ...(answer.value === undefined ? [] : [label(answer.value)]),
    ...(answer.values ?? []).map(label),
    ...(answer.other === undefined ? [] : [answer.other]),
    ...(answer.text === undefined ? [] : [answer.text]),
  ];
  return parts.length === 0 ? '(nothing chosen)' : parts.join(', ');
}

function cut(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
