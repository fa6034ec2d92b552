import type { Schema } from '@aos/client';

export type Question = Schema<'InteractionQuestion'>;
export type Answer = Schema<'InteractionAnswer'>;

/** What a form holds for one question; `value` of a select is an option, or the free text with `isOther`. */
export interface QuestionDraft {
  value: string;
  values: readonly string[];
  isOther: boolean;
  other: string;
  text: string;
}

export type AnswerDraft = Readonly<Record<string, QuestionDraft>>;

export interface DraftIssue {
  questionId: string;
  message: string;
}

/** The form as it is opened: with the defaults that the questions name. */
export function newDraft(questions: readonly Question[]): AnswerDraft {
  return Object.fromEntries(questions.map((question) => [question.id, draftOf(question)]));
}

/** The answers to send, or what is missing or too much. A question that may be left out is, when it is empty. */
export function answersOf(
  questions: readonly Question[],
  draft: AnswerDraft,
): { answers: Answer[]; issues: DraftIssue[] } {
  const answers: Answer[] = [];
  const issues: DraftIssue[] = [];
  for (const question of questions) {
    const answer = answerOf(question, draft[question.id] ?? draftOf(question));
    if (typeof answer === 'string') issues.push({ questionId: question.id, message: answer });
    else if (answer !== null) answers.push(answer);
    else if (question.required !== false) issues.push({ questionId: question.id, message: emptyText(question) });
  }
  return { answers, issues };
}

function draftOf({ mode, default_confirmed, default_value, default_values, default_text }: Question): QuestionDraft {
  const confirmed = default_confirmed === undefined ? '' : default_confirmed ? 'approved' : 'rejected';
  return {
    value: mode === 'confirm' ? confirmed : (default_value ?? ''),
    values: default_values ?? [],
    isOther: false,
    other: '',
    text: default_text ?? '',
  };
}

/** The answer, null when the question is left empty, or what is wrong. */
function answerOf(question: Question, draft: QuestionDraft): Answer | string | null {
  const { id, mode } = question;
  const other = draft.isOther ? draft.other.trim() : '';
  switch (mode) {
    case 'input':
      return draft.text.trim() === '' ? null : { question_id: id, text: draft.text };
    case 'multi_select':
      return manyOf(question, draft.values, other);
    case 'confirm':
      return draft.value === '' ? null : { question_id: id, value: draft.value };
    case 'select':
      if (draft.isOther) return other === '' ? null : { question_id: id, other };
      return draft.value === '' ? null : { question_id: id, value: draft.value };
  }
}

function manyOf(
  { id, min_selections: min, max_selections: max }: Question,
  values: readonly string[],
  other: string,
): Answer | string | null {
  const count = values.length + (other === '' ? 0 : 1);
  if (count === 0) return null;
  if (min !== undefined && count < min) return `Choose at least ${min}.`;
  if (max !== undefined && count > max) return `Choose at most ${max}.`;
  return { question_id: id, values: [...values], ...(other === '' ? {} : { other }) };
}

function emptyText({ mode }: Question): string {
  if (mode === 'confirm') return 'Approve or reject it.';
  return mode === 'input' ? 'Write an answer.' : 'Choose one.';
}
