import type { Schema } from '@aos/contract';
import { Refusal, badRequest, jsonBytes, type Issue } from '@aos/kernel';
import type { InteractionKind, Question, QuestionMode } from '../interaction/interaction.events.js';
import { formBytesMax, questionsMax } from '../interaction/interaction.limits.js';

/** A question as a caller sends it. */
export type AskedQuestion = Schema<'InteractionQuestion'>;

/** A list of questions, or the members of the one-question form. */
export type AskedForm = Schema<'InteractionSpec'>;

const oneQuestionId = 'response';

/** Which mode goes with which kind (rules IT13, I11). */
export const kindsOfMode: Readonly<Record<QuestionMode, readonly InteractionKind[]>> = {
  confirm: ['request_approval'],
  select: ['request_information', 'request_approval', 'request_review', 'assign_work'],
  multi_select: ['request_information', 'assign_work'],
  input: ['request_information', 'request_review', 'assign_work'],
};

/**
 * The questions of a new interaction.
 *
 * Takes    kind and title; the form as it was sent, or nothing.
 * Gives    1 to 12 questions with `required` filled in. The one-question form becomes question `response` with the
 *          title as its prompt.
 * Refuses  payload_too_large; bad_request with one issue for each fault, by the place in the body.
 * Source   rules IT9, IT13, LIM1, LIM2, I9, I10, I11, I12, I37, L13.
 */
export function questionsOf(kind: InteractionKind, title: string, form: AskedForm | undefined): Question[] {
  if (form && jsonBytes(form) > formBytesMax)
    throw new Refusal('payload_too_large', { limit_bytes: formBytesMax }, 'the form is too large');
  const { questions: asked, ...single } = form ?? {};
  if (asked && Object.keys(single).length > 0) {
    throw badRequest(
      Object.keys(single).map((member) => ({
        path: `/spec/${member}`,
        message: 'is the one-question form: not beside questions',
      })),
    );
  }
  const questions = asked ?? [
    {
      ...single,
      id: oneQuestionId,
      prompt: title,
      mode: single.mode ?? (kind === 'request_approval' ? 'confirm' : 'input'),
    },
  ];
  const at = (index: number) => (asked ? `/spec/questions/${index}` : '/spec');
  const issues: Issue[] = [];
  if (questions.length === 0 || questions.length > questionsMax)
    issues.push({ path: '/spec/questions', message: `must have 1 to ${questionsMax} entries` });
  if (kind === 'request_approval' && questions.length !== 1)
    issues.push({ path: '/spec/questions', message: 'an approval has exactly one question' });
  const ids = new Set<string>();
  for (const [index, question] of questions.entries()) {
    if (ids.has(question.id)) issues.push({ path: `${at(index)}/id`, message: 'must not be used twice' });
    ids.add(question.id);
    issues.push(
      ...questionIssues(kind, question).map(({ path, message }) => ({ path: `${at(index)}${path}`, message })),
    );
  }
  if (issues.length > 0) throw badRequest(issues);
  return questions.map((question) => ({ ...question, required: question.required ?? true }));
}

function questionIssues(kind: InteractionKind, question: AskedQuestion): Issue[] {
  const { mode, default_confirmed: confirmed, min_selections: min, max_selections: max } = question;
  const issues: Issue[] = [];
  const fault = (member: string, message: string) => {
    issues.push({ path: `/${member}`, message });
  };
  if (!kindsOfMode[mode].includes(kind)) fault('mode', `${mode} does not go with ${kind}`);
  if (confirmed !== undefined && mode !== 'confirm') fault('default_confirmed', 'is for confirm');
  if (mode !== 'multi_select') {
    if (min !== undefined) fault('min_selections', 'is for multi_select');
    if (max !== undefined) fault('max_selections', 'is for multi_select');
  }
  if (mode === 'select' || mode === 'multi_select') choiceIssues(question, fault);
  else {
    if (question.options !== undefined) fault('options', 'are for select and multi_select');
    if (question.allow_other === true) fault('allow_other', 'is for select and multi_select');
  }
  return issues;
}

function choiceIssues(question: AskedQuestion, fault: (member: string, message: string) => void): void {
  const {
    mode,
    options = [],
    allow_other: allowOther,
    min_selections: min,
    max_selections: max,
    default_value: chosen,
    default_values: several,
  } = question;
  if (options.length === 0) fault('options', `are needed for ${mode}`);
  const values = new Set(options.map(({ value }) => value));
  if (values.size < options.length) fault('options', 'must not repeat a value');
  if (mode === 'select' && chosen !== undefined && !values.has(chosen))
    fault('default_value', 'is not one of the options');
  if (mode !== 'multi_select') return;
  if (several?.some((value) => !values.has(value)) === true) fault('default_values', 'must be among the options');
  if (several && new Set(several).size < several.length) fault('default_values', 'must not repeat a value');
  else if (several && max !== undefined && several.length > max) fault('default_values', `must not be over ${max}`);
  const most = options.length + (allowOther === true ? 1 : 0);
  if (max !== undefined && max > most) fault('max_selections', `must not be over ${most}`);
  if (min !== undefined && min > (max ?? most)) fault('min_selections', `must not be over ${max ?? most}`);
}
