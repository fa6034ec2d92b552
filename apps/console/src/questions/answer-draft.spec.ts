import { answersOf, newDraft, type AnswerDraft, type Question } from './answer-draft';

const options = ['red', 'green', 'blue'].map((value) => ({ value, label: value.toUpperCase() }));
const question = (mode: Question['mode'], more: Partial<Question> = {}): Question => ({
  id: 'q',
  prompt: 'What?',
  mode,
  ...(mode === 'select' || mode === 'multi_select' ? { options } : {}),
  ...more,
});

function filled(one: Question, part: Partial<AnswerDraft[string]>) {
  const draft = newDraft([one]);
  return answersOf([one], { q: { ...(draft['q'] as AnswerDraft[string]), ...part } });
}

describe('the answers of a form', () => {
  it.each([
    ['an approval', question('confirm'), { value: 'approved' }, { value: 'approved' }],
    ['a choice', question('select'), { value: 'green' }, { value: 'green' }],
    [
      'another choice',
      question('select', { allow_other: true }),
      { value: 'red', isOther: true, other: ' pink ' },
      { other: 'pink' },
    ],
    ['several', question('multi_select'), { values: ['red', 'blue'] }, { values: ['red', 'blue'] }],
    [
      'several and another',
      question('multi_select'),
      { values: ['red'], isOther: true, other: 'pink' },
      { values: ['red'], other: 'pink' },
    ],
    ['text as it was written', question('input'), { text: ' a \n' }, { text: ' a \n' }],
  ])('send %s', (_what, one, part, answer) => {
    expect(filled(one, part)).toEqual({ answers: [{ question_id: 'q', ...answer }], issues: [] });
  });

  it.each([
    ['nothing is said', question('input'), {}, 'Write an answer.'],
    ['nothing is approved or rejected', question('confirm'), {}, 'Approve or reject it.'],
    ['nothing is chosen', question('select'), {}, 'Choose one.'],
    ['the other choice is empty', question('select'), { isOther: true, other: '  ' }, 'Choose one.'],
    ['too few are chosen', question('multi_select', { min_selections: 2 }), { values: ['red'] }, 'Choose at least 2.'],
    [
      'too many are chosen',
      question('multi_select', { max_selections: 1 }),
      { values: ['red', 'blue'] },
      'Choose at most 1.',
    ],
  ])('are held back when %s', (_what, one, part, message) => {
    expect(filled(one, part)).toEqual({ answers: [], issues: [{ questionId: 'q', message }] });
  });

  it('leave out an optional question that is empty', () => {
    expect(filled(question('input', { required: false }), {})).toEqual({ answers: [], issues: [] });
  });

  it('begin with the defaults of the questions', () => {
    const { answers } = answersOf(
      [question('confirm', { default_confirmed: false })],
      newDraft([question('confirm', { default_confirmed: false })]),
    );
    expect(answers).toEqual([{ question_id: 'q', value: 'rejected' }]);
    expect(filled(question('multi_select', { default_values: ['red'] }), {}).answers).toEqual([
      { question_id: 'q', values: ['red'] },
    ]);
  });
});
