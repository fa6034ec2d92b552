import { confirm, isCancel, multiselect, select, text } from '@clack/prompts';
import type { Io } from '../console/io.js';
import { shown, shownOnLine } from '../console/text.js';

type Option = { value: string; label: string; description?: string };
export type Question = {
  id: string;
  prompt: string;
  required?: boolean;
  mode: 'confirm' | 'select' | 'multi_select' | 'input';
  default_confirmed?: boolean;
  options?: Option[];
  min_selections?: number;
  allow_other?: boolean;
  default_value?: string;
  default_text?: string;
  placeholder?: string;
};
export type Interaction = {
  id: string;
  status: string;
  title: string;
  description?: string | null;
  target_user_ids?: string[];
  spec: { questions?: Question[] };
};
export type Answer = { question_id: string; value?: string; values?: string[]; other?: string; text?: string };

const otherValue = '\u0000other';

/**
 * Asks a person each question of an interaction.
 *
 * Takes    the questions, the streams, and a signal that fires when the interaction is over.
 * Gives    the answers; null when the person breaks off or the signal fires.
 */
export async function askQuestions({ spec }: Interaction, io: Io, signal: AbortSignal): Promise<Answer[] | null> {
  const answers: Answer[] = [];
  for (const question of spec.questions ?? []) {
    const answer = await askOne(question, { input: io.input, output: io.out, signal });
    if (answer === null) return null;
    if (answer !== undefined) answers.push({ question_id: question.id, ...answer });
  }
  return answers;
}

type Streams = { input: Io['input']; output: Io['out']; signal: AbortSignal };
type Given = Omit<Answer, 'question_id'> | undefined | null;

/** Undefined for a question that is left out, null when the person breaks off. */
function askOne(question: Question, streams: Streams): Promise<Given> {
  switch (question.mode) {
    case 'confirm':
      return askConfirm(question, streams);
    case 'select':
      return askSelect(question, streams);
    case 'multi_select':
      return askMultiSelect(question, streams);
    case 'input':
      return askText(question, streams);
  }
}

async function askConfirm({ prompt, default_confirmed: isDefault }: Question, streams: Streams): Promise<Given> {
  const answer = await confirm({ message: shown(prompt), initialValue: isDefault ?? true, ...streams });
  return isCancel(answer) ? null : { value: answer ? 'approved' : 'rejected' };
}

async function askSelect(question: Question, streams: Streams): Promise<Given> {
  const { prompt, default_value: initial } = question;
  const answer = await select({
    message: shown(prompt),
    options: choicesOf(question),
    ...(initial === undefined ? {} : { initialValue: initial }),
    ...streams,
  });
  if (isCancel(answer)) return null;
  return answer === otherValue ? askOther(streams) : { value: answer };
}

async function askMultiSelect(question: Question, streams: Streams): Promise<Given> {
  const { prompt, min_selections: least, required } = question;
  const isNeeded = required !== false && (least ?? 1) > 0;
  const answer = await multiselect({
    message: shown(prompt),
    options: choicesOf(question),
    required: isNeeded,
    ...streams,
  });
  if (isCancel(answer)) return null;
  const values = answer.filter((value) => value !== otherValue);
  if (!answer.includes(otherValue)) return { values };
  const other = await askOther(streams);
  return other && { values, ...other };
}

function choicesOf({
  options = [],
  allow_other: hasOther,
}: Question): { value: string; label: string; hint?: string }[] {
  const listed = options.map(({ value, label, description }) => ({
    value,
    label: shownOnLine(label),
    ...(description === undefined ? {} : { hint: shownOnLine(description) }),
  }));
  return hasOther === true ? [...listed, { value: otherValue, label: 'Something else' }] : listed;
}

async function askOther(streams: Streams): Promise<{ other: string } | null> {
  const answer = await text({ message: 'What else?', validate: notEmpty, ...streams });
  return isCancel(answer) ? null : { other: answer };
}

async function askText(question: Question, streams: Streams): Promise<Given> {
  const { prompt, required, default_text: initial, placeholder } = question;
  const answer = await text({
    message: shown(prompt),
    ...(initial === undefined ? {} : { initialValue: initial }),
    ...(placeholder === undefined ? {} : { placeholder: shownOnLine(placeholder) }),
    ...(required === false ? {} : { validate: notEmpty }),
    ...streams,
  });
  if (isCancel(answer)) return null;
  return (answer ?? '') === '' ? undefined : { text: answer };
}

function notEmpty(value: string | undefined): string | undefined {
  return (value ?? '').trim() === '' ? 'This needs an answer' : undefined;
}
