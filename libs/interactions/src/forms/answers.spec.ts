import { Refusal, type Json } from '@aos/kernel';
import type { Answer, Question } from '../interaction/interaction.events.js';
import { answersOf, type AnswerSet } from './answers.decide.js';
import { bareValue } from '../interaction/interaction.wire.js';

const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
  { value: 'c', label: 'C' },
];
const confirm: Question = { id: 'q', prompt: '?', required: true, mode: 'confirm' };
const select: Question = { id: 'q', prompt: '?', required: true, mode: 'select', options };
const several: Question = { id: 'q', prompt: '?', required: true, mode: 'multi_select', options };
const input: Question = { id: 'q', prompt: '?', required: true, mode: 'input' };
const withOther = (question: Question): Question => ({ ...question, allow_other: true });

function issuesOf(questions: Question[], set: AnswerSet): string[] {
  try {
    answersOf(questions, set);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_answer') throw error;
    return (error.details.issues as { question_id: string; message: string }[]).map(({ question_id }) => question_id);
  }
}

const one = (content: Partial<Answer>): AnswerSet => ({ answers: [{ question_id: 'q', ...content }] });

describe('content by mode', () => {
  const good: [string, Question, Partial<Answer>][] = [
    ['confirm approved', confirm, { value: 'approved' }],
    ['confirm rejected', confirm, { value: 'rejected' }],
    ['select value', select, { value: 'b' }],
    ['select other', withOther(select), { other: 'd' }],
    ['values', several, { values: ['a', 'c'] }],
    ['values and other', withOther(several), { values: ['a'], other: 'd' }],
    ['other alone', withOther(several), { values: [], other: 'd' }],
    ['at least', { ...several, min_selections: 0 }, { values: [] }],
    ['input', input, { text: 'x' }],
    ['optional blank', { ...input, required: false }, { text: '' }],
    ['optional none', { ...several, required: false }, { values: [] }],
  ];
  const bad: [string, Question, Partial<Answer>][] = [
    ['confirm of another word', confirm, { value: 'yes' }],
    ['confirm by text', confirm, { text: 'approved' }],
    ['confirm with two fields', confirm, { value: 'approved', text: 'x' }],
    ['select of none', select, {}],
    ['select of an unknown', select, { value: 'd' }],
    ['select of both', withOther(select), { value: 'a', other: 'd' }],
    ['other without leave', select, { other: 'd' }],
    ['blank other', withOther(select), { other: ' ' }],
    ['values to select', select, { values: ['a'] }],
    ['unknown among values', several, { values: ['a', 'd'] }],
    ['a value twice', several, { values: ['a', 'a'] }],
    ['none of a required', several, { values: [] }],
    ['too few', { ...several, min_selections: 2 }, { values: ['a'] }],
    ['too many', { ...several, max_selections: 1 }, { values: ['a', 'b'] }],
    ['too many with other', { ...withOther(several), max_selections: 1 }, { values: ['a'], other: 'd' }],
    ['other without values', withOther(several), { other: 'd' }],
    ['a value to multi_select', several, { value: 'a' }],
    ['blank text', input, { text: ' \n' }],
    ['a value to input', input, { value: 'x' }],
    ['no text', input, {}],
  ];

  it.each(good)('takes %s', (_name, question, content) => {
    expect(issuesOf([question], one(content))).toEqual([]);
  });
  it.each(bad)('refuses %s', (_name, question, content) => {
    expect(issuesOf([question], one(content))).toEqual(['q']);
  });
});

describe('answer sets', () => {
  const form: Question[] = [
    { ...input, id: 'first' },
    { ...select, id: 'second' },
    { ...input, id: 'third', required: false },
  ];

  it('need every required question, may leave out others, and come back in the order of the form', () => {
    expect(issuesOf(form, { answers: [] })).toEqual(['first', 'second']);
    const answers = [
      { question_id: 'second', value: 'a' },
      { question_id: 'first', text: 'x' },
    ];
    expect(answersOf(form, { answers }).map(({ question_id }) => question_id)).toEqual(['first', 'second']);
  });

  it('tell every fault at once: unknown, twice, wrong, missing', () => {
    expect(
      issuesOf(form, {
        answers: [
          { question_id: 'x', text: '' },
          { question_id: 'second', value: 'a' },
          { question_id: 'second', value: 'nope' },
        ],
      }),
    ).toEqual(['x', 'second', 'first', 'second']);
  });

  it('are refused with both forms, and over their size', () => {
    expect(() => answersOf([input], { answers: [{ question_id: 'q', text: 'x' }], value: 'x' })).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
    const long = Array.from({ length: 5 }, (_, index): Question => ({ ...input, id: `q${index}` }));
    const answers = long.map(({ id }) => ({ question_id: id, text: 'x'.repeat(65_536) }));
    expect(() => answersOf(long, { answers })).toThrow(
      expect.objectContaining({ code: 'payload_too_large', details: { limit_bytes: 262_144 } }),
    );
  });
});

describe('the bare value (I14, I22)', () => {
  const pairs: [Question, Json, Partial<Answer>, Json][] = [
    [confirm, true, { value: 'approved' }, 'approved'],
    [confirm, false, { value: 'rejected' }, 'rejected'],
    [confirm, 'rejected', { value: 'rejected' }, 'rejected'],
    [select, 'b', { value: 'b' }, 'b'],
    [withOther(select), 'd', { other: 'd' }, 'd'],
    [several, ['a', 'b'], { values: ['a', 'b'] }, ['a', 'b']],
    [input, 'x', { text: 'x' }, 'x'],
  ];

  it.each(pairs)('%j takes %j', (question, value, content, back) => {
    const answers = answersOf([question], { value });
    expect(answers).toEqual([{ question_id: 'q', ...content }]);
    expect(bareValue([question], answers)).toEqual(back);
  });

  it('is refused in another type, and with several questions', () => {
    const wrong: [Question, Json][] = [
      [confirm, 1],
      [confirm, 'maybe'],
      [select, 'd'],
      [select, true],
      [several, 'a'],
      [several, [1]],
      [input, null],
      [input, ['x']],
    ];
    for (const [question, value] of wrong) expect(issuesOf([question], { value })).toEqual(['q']);
    expect(issuesOf([input, { ...input, id: 'r' }], { value: 'x' })).toEqual(['q', 'r']);
  });

  it('of several questions is their list', () => {
    const answers = [{ question_id: 'q', text: 'x' }];
    expect(bareValue([input, { ...input, id: 'r', required: false }], answers)).toEqual(answers);
  });
});
