import type { Members, RequestBody } from '@aos/contract';
import { Refusal, badRequest, jsonBytes, type Json } from '@aos/kernel';
import type { Answer, Question } from '../interaction/interaction.events.js';
import { responseBytesMax } from '../interaction/interaction.limits.js';

export type AnswerSet = Members<RequestBody<'respondToInteraction'>>;

interface AnswerIssue {
  question_id: string;
  message: string;
}

const contentFields = ['value', 'values', 'other', 'text'] as const;

/**
 * The answers that an answer set gives, in the order of the questions.
 *
 * Takes    the questions; the answer set, with `answers` or, where there is one question, its bare `value`.
 * Refuses  bad_request for both forms at once; invalid_answer with one issue for each fault; payload_too_large over 256
 *          KiB. Nothing is taken in part.
 * Source   rules IT18, IT19, I13, I14, I15, I16, L18.
 */
export function answersOf(questions: readonly Question[], set: AnswerSet): Answer[] {
  if (set.answers !== undefined && set.value !== undefined)
    throw badRequest([{ path: '/value', message: 'is the one-question form: not beside answers' }]);
  const answers = set.value === undefined ? (set.answers ?? []) : [bareAnswer(questions, set.value)];
  if (bytesOf(answers, set.comment) > responseBytesMax)
    throw new Refusal('payload_too_large', { limit_bytes: responseBytesMax }, 'the answers are too large');
  const byId = new Map<string, Answer>();
  const issues: AnswerIssue[] = [];
  for (const answer of answers) {
    const { question_id: id } = answer;
    if (!questions.some((question) => question.id === id))
      issues.push({ question_id: id, message: 'is not a question of this form' });
    else if (byId.has(id)) issues.push({ question_id: id, message: 'is answered twice' });
    byId.set(id, answer);
  }
  for (const question of questions) {
    const answer = byId.get(question.id);
    const message = answer ? answerIssue(question, answer) : question.required ? 'needs an answer' : null;
    if (message !== null) issues.push({ question_id: question.id, message });
  }
  if (issues.length > 0) throw invalidAnswer(issues);
  return questions.flatMap(({ id }) => byId.get(id) ?? []);
}

/** Size of one response (rule L18). */
export function bytesOf(answers: readonly Answer[], comment: string | null | undefined): number {
  return jsonBytes({ answers, comment: comment ?? null });
}

function invalidAnswer(issues: AnswerIssue[]): Refusal {
  const [first] = issues;
  return new Refusal(
    'invalid_answer',
    { issues: issues.map((issue) => ({ ...issue })) },
    first ? `${first.question_id}: ${first.message}` : 'invalid answer',
  );
}

/** Null when the answer fits its question. */
function answerIssue(question: Question, answer: Answer): string | null {
  const takes: readonly string[] = {
    confirm: ['value'],
    select: ['value', 'other'],
    multi_select: ['values', 'other'],
    input: ['text'],
  }[question.mode];
  const given = contentFields.filter((field) => answer[field] !== undefined);
  const wrong = given.find((field) => !takes.includes(field));
  if (wrong) return `takes ${takes.join(' or ')}, not ${wrong}`;
  if (answer.other !== undefined && question.allow_other !== true) return 'takes no other';
  switch (question.mode) {
    case 'confirm':
      return answer.value === 'approved' || answer.value === 'rejected' ? null : 'takes value approved or rejected';
    case 'select':
      return selectIssue(question, answer);
    case 'multi_select':
      return multiSelectIssue(question, answer);
    default:
      return inputIssue(question, answer);
  }
}

function selectIssue({ options = [] }: Question, { value, other }: Answer): string | null {
  if ((value === undefined) === (other === undefined)) return 'takes exactly one of value and other';
  if (other !== undefined) return other.trim() === '' ? 'other must not be blank' : null;
  return options.some((option) => option.value === value) ? null : 'value is not one of the options';
}

function multiSelectIssue(
  { options = [], required, min_selections: min, max_selections: max }: Question,
  { values, other }: Answer,
): string | null {
  if (!values) return 'needs values';
  if (new Set(values).size < values.length) return 'must not choose a value twice';
  if (values.some((value) => !options.some((option) => option.value === value)))
    return 'values must be among the options';
  if (other?.trim() === '') return 'other must not be blank';
  const count = values.length + (other === undefined ? 0 : 1);
  const least = min ?? (required ? 1 : 0);
  if (count < least) return `needs at least ${least} ${least === 1 ? 'selection' : 'selections'}`;
  if (max !== undefined && count > max) return `takes at most ${max} ${max === 1 ? 'selection' : 'selections'}`;
  return null;
}

function inputIssue({ required }: Question, { text }: Answer): string | null {
  if (text === undefined) return 'needs text';
  return required && text.trim() === '' ? 'must not be blank' : null;
}

/** Rule I14. */
function bareAnswer(questions: readonly Question[], value: Json): Answer {
  const [question, ...others] = questions;
  if (!question || others.length > 0) {
    throw invalidAnswer(
      questions.map(({ id }) => ({
        question_id: id,
        message: 'a bare value goes with a single question: send answers',
      })),
    );
  }
  const { id: question_id, mode, options = [], allow_other: allowOther } = question;
  const wrong = (message: string) => invalidAnswer([{ question_id, message }]);
  if (mode === 'confirm') {
    if (typeof value === 'boolean') return { question_id, value: value ? 'approved' : 'rejected' };
    if (typeof value !== 'string') throw wrong('takes true, false, approved or rejected');
    return { question_id, value };
  }
  if (mode === 'multi_select') {
    if (!Array.isArray(value) || !value.every((entry): entry is string => typeof entry === 'string'))
      throw wrong('takes a list of texts');
    return { question_id, values: value };
  }
  if (typeof value !== 'string') throw wrong('takes a text');
  if (mode === 'input') return { question_id, text: value };
  const isOption = options.some((option) => option.value === value);
  return allowOther === true && !isOption ? { question_id, other: value } : { question_id, value };
}
