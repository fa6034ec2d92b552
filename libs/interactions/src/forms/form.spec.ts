import { Refusal } from '@aos/kernel';
import type { InteractionKind, QuestionMode } from '../interaction/interaction.events.js';
import { kindsOfMode, questionsOf, type AskedForm, type AskedQuestion } from './form.decide.js';

const kinds: InteractionKind[] = ['request_information', 'request_approval', 'request_review', 'assign_work'];
const modes: QuestionMode[] = ['confirm', 'select', 'multi_select', 'input'];
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

function asked(mode: QuestionMode, changes: Partial<AskedQuestion> = {}): AskedQuestion {
  return {
    id: 'q',
    prompt: 'Which?',
    mode,
    ...(mode === 'select' || mode === 'multi_select' ? { options } : {}),
    ...changes,
  };
}

function pathsOf(kind: InteractionKind, form: AskedForm): string[] {
  try {
    questionsOf(kind, 'Title', form);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'bad_request') throw error;
    return (error.details.issues as { path: string }[]).map(({ path }) => path);
  }
}

describe('which mode goes with which kind (I11)', () => {
  const table = kinds.flatMap((kind) => modes.map((mode) => ({ kind, mode, fits: kindsOfMode[mode].includes(kind) })));

  it.each(table)('$kind with $mode: $fits', ({ kind, mode, fits }) => {
    expect(pathsOf(kind, { questions: [asked(mode)] })).toEqual(fits ? [] : ['/spec/questions/0/mode']);
  });

  it('holds the ten pairs of rule IT13', () => {
    expect(
      table
        .filter(({ fits }) => fits)
        .map(({ kind, mode }) => `${kind} ${mode}`)
        .sort(),
    ).toEqual([
      'assign_work input',
      'assign_work multi_select',
      'assign_work select',
      'request_approval confirm',
      'request_approval select',
      'request_information input',
      'request_information multi_select',
      'request_information select',
      'request_review input',
      'request_review select',
    ]);
  });

  it('an approval has exactly one question; others up to twelve', () => {
    const many = (count: number, mode: QuestionMode) => ({
      questions: Array.from({ length: count }, (_, index) => asked(mode, { id: `q${index}` })),
    });
    expect(pathsOf('request_approval', many(2, 'select'))).toEqual(['/spec/questions']);
    expect(pathsOf('assign_work', many(12, 'input'))).toEqual([]);
    expect(pathsOf('assign_work', many(13, 'input'))).toEqual(['/spec/questions']);
    expect(pathsOf('assign_work', { questions: [] })).toEqual(['/spec/questions']);
  });
});

describe('the rules of questions (I12)', () => {
  const faults: [string, AskedQuestion, string][] = [
    ['default_confirmed beside input', asked('input', { default_confirmed: true }), 'default_confirmed'],
    ['selections beside select', asked('select', { min_selections: 1 }), 'min_selections'],
    ['options missing', asked('select', { options: [] }), 'options'],
    ['a repeated value', asked('multi_select', { options: [...options, { value: 'a', label: 'again' }] }), 'options'],
    ['options on input', asked('input', { options }), 'options'],
    ['other on input', asked('input', { allow_other: true }), 'allow_other'],
    ['more at most than there are', asked('multi_select', { max_selections: 3 }), 'max_selections'],
    ['more at least than at most', asked('multi_select', { min_selections: 2, max_selections: 1 }), 'min_selections'],
    ['a default that is no option', asked('select', { default_value: 'c' }), 'default_value'],
    ['a default twice', asked('multi_select', { default_values: ['a', 'a'] }), 'default_values'],
    [
      'more defaults than may be chosen',
      asked('multi_select', { default_values: ['a', 'b'], max_selections: 1 }),
      'default_values',
    ],
    ['defaults that are no options', asked('multi_select', { default_values: ['a', 'c'] }), 'default_values'],
  ];

  it.each(faults)('refuses %s', (_name, question, member) => {
    expect(pathsOf('assign_work', { questions: [question] })).toEqual([`/spec/questions/0/${member}`]);
  });

  it('counts other as one more option', () => {
    expect(
      pathsOf('assign_work', {
        questions: [asked('multi_select', { max_selections: 3, min_selections: 3, allow_other: true })],
      }),
    ).toEqual([]);
  });

  it('names every fault of every question, and ids used twice', () => {
    expect(
      pathsOf('request_review', { questions: [asked('confirm'), asked('multi_select', { max_selections: 9 })] }),
    ).toEqual([
      '/spec/questions/0/mode',
      '/spec/questions/1/id',
      '/spec/questions/1/mode',
      '/spec/questions/1/max_selections',
    ]);
  });
});

describe('the one-question form (I9, I10)', () => {
  it('becomes question response with the title as prompt', () => {
    expect(questionsOf('request_information', 'Which?', { mode: 'select', options, default_value: 'b' })).toEqual([
      { id: 'response', prompt: 'Which?', required: true, mode: 'select', options, default_value: 'b' },
    ]);
  });

  it.each(kinds)('of %s without a form has its usual mode', (kind) => {
    expect(questionsOf(kind, 'T', undefined)).toEqual([
      { id: 'response', prompt: 'T', required: true, mode: kind === 'request_approval' ? 'confirm' : 'input' },
    ]);
  });

  it('does not go beside questions, and keeps the rules', () => {
    expect(pathsOf('assign_work', { questions: [asked('input')], mode: 'input' })).toEqual(['/spec/mode']);
    expect(pathsOf('request_approval', { mode: 'input' })).toEqual(['/spec/mode']);
    expect(pathsOf('assign_work', { mode: 'select' })).toEqual(['/spec/options']);
  });
});
