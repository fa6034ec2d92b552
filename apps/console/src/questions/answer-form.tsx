import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, type Reply, type RequestBody } from '@aos/client';
import { call } from '../api/call';
import { useWrite } from '../api/hooks';
import { Button, CallShown, ErrorNote, Select, TextArea, TextField } from '../ui';
import { answersOf, type DraftIssue, type Question, type QuestionDraft } from './answer-draft';
import { drafts, useDraft } from './draft-store';
import { draftKey } from './words';

type Body = RequestBody<'respondToInteraction'>;

/** A question with more options, and none of one's own, is a list that folds. */
const shownOptionsMax = 12;

/** The form that answers a question: a control for each of its questions, and a comment. */
export function AnswerForm({
  interaction,
  onAnswered,
}: {
  interaction: Reply<'getInteraction'>;
  onAnswered?: (answered: Reply<'respondToInteraction'>) => void;
}) {
  const questions: readonly Question[] = interaction.spec.questions ?? [];
  const key = draftKey(interaction);
  const [{ answers: draft, comment }, setDraft] = useDraft(key, questions);
  const [isTried, setTried] = useState(false);
  const respond = useWrite((body: Body) => call('interactions', 'respond', interaction.id, body), {
    done: 'Answered',
    changes: ['sessions', 'turns'],
    onDone: (answered) => {
      drafts.drop(key);
      onAnswered?.(answered);
    },
  });
  const { answers, issues: missing } = answersOf(questions, draft);
  const issues = [...missing, ...issuesOf(respond.error)];
  const body = { answers, ...(comment.trim() === '' ? {} : { comment }) } as Body;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing.length === 0) respond.mutate(body);
  };
  return (
    <form onSubmit={submit} aria-label={`Answer ${interaction.title}`} className="flex flex-col gap-4">
      {questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          draft={draft[question.id] as QuestionDraft}
          onChange={(part) =>
            setDraft(({ answers: before, comment: said }) => ({
              answers: { ...before, [question.id]: { ...(before[question.id] as QuestionDraft), ...part } },
              comment: said,
            }))
          }
          error={isTried ? (issues.find(({ questionId }) => questionId === question.id)?.message ?? null) : null}
        />
      ))}
      <TextField
        label="Comment"
        hint="May be left empty."
        dir="auto"
        maxLength={8192}
        value={comment}
        onChange={({ target }) => setDraft((before) => ({ ...before, comment: target.value }))}
      />
      {respond.error && <ErrorNote error={respond.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={call('interactions', 'respond', interaction.id, body)} />
        <Button look="primary" type="submit" busy={respond.isPending}>
          Answer
        </Button>
      </div>
    </form>
  );
}

/** What the service says of single answers. */
function issuesOf(error: Error | null): DraftIssue[] {
  if (!(error instanceof ApiError) || error.code !== 'invalid_answer') return [];
  const { issues = [] } = error.details as { issues?: { question_id: string; message: string }[] };
  return issues.map(({ question_id: questionId, message }) => ({
    questionId,
    message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`,
  }));
}

interface FieldProps {
  question: Question;
  draft: QuestionDraft;
  onChange: (part: Partial<QuestionDraft>) => void;
  error: string | null;
}

function QuestionField(props: FieldProps) {
  const { question, draft, onChange, error } = props;
  const label = question.required === false ? `${question.prompt} (may be left empty)` : question.prompt;
  switch (question.mode) {
    case 'input': {
      const field = { label, error, value: draft.text, placeholder: question.placeholder, dir: 'auto' };
      return question.multiline === false ? (
        <TextField {...field} onChange={(event) => onChange({ text: event.target.value })} />
      ) : (
        <TextArea {...field} rows={3} onChange={(event) => onChange({ text: event.target.value })} />
      );
    }
    case 'confirm':
      return (
        <Choices label={label} error={error}>
          <Choice
            type="radio"
            label="Approve"
            checked={draft.value === 'approved'}
            onChange={() => onChange({ value: 'approved' })}
          />
          <Choice
            type="radio"
            label="Reject"
            checked={draft.value === 'rejected'}
            onChange={() => onChange({ value: 'rejected' })}
          />
        </Choices>
      );
    case 'select':
      return (question.options ?? []).length > shownOptionsMax && question.allow_other !== true ? (
        <OptionList {...props} label={label} />
      ) : (
        <OptionChoices {...props} />
      );
    case 'multi_select':
      return <OptionChoices {...props} />;
  }
}

function OptionList({ question, draft, onChange, error, label }: FieldProps & { label: string }) {
  const none = { value: '', label: question.required === false ? 'No answer' : 'Choose…' };
  return (
    <Select
      label={label}
      error={error}
      value={draft.value}
      options={[none, ...(question.options ?? [])]}
      onChange={(event) => onChange({ value: event.target.value })}
    />
  );
}

function boundsText({ mode, min_selections: min, max_selections: max }: Question): string | null {
  if (mode !== 'multi_select' || (!min && !max)) return null;
  return `Choose ${[min && `at least ${min}`, max && `at most ${max}`].filter(Boolean).join(', ')}.`;
}

function OptionChoices({ question, draft, onChange, error }: FieldProps) {
  const isMany = question.mode === 'multi_select';
  const type = isMany ? 'checkbox' : 'radio';
  const label = question.required === false ? `${question.prompt} (may be left empty)` : question.prompt;
  const choose = (value: string, isChosen: boolean) => {
    if (!isMany) onChange({ value, isOther: false });
    else onChange({ values: isChosen ? [...draft.values, value] : draft.values.filter((one) => one !== value) });
  };
  return (
    <Choices label={label} error={error} hint={boundsText(question)}>
      {(question.options ?? []).map(({ value, label: said, description }) => (
        <Choice
          key={value}
          type={type}
          label={said}
          description={description}
          checked={isMany ? draft.values.includes(value) : !draft.isOther && draft.value === value}
          onChange={(isChosen) => choose(value, isChosen)}
        />
      ))}
      {question.allow_other === true && (
        <>
          <Choice
            type={type}
            label="Something else"
            checked={draft.isOther}
            onChange={(isChosen) => onChange({ isOther: isMany ? isChosen : true })}
          />
          {draft.isOther && (
            <TextField
              label={`Something else: ${question.prompt}`}
              hideLabel
              dir="auto"
              maxLength={4096}
              value={draft.other}
              onChange={(event) => onChange({ other: event.target.value })}
            />
          )}
        </>
      )}
    </Choices>
  );
}

function Choices({
  label,
  error,
  hint = null,
  children,
}: {
  label: string;
  error: string | null;
  hint?: string | null;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <fieldset aria-describedby={error === null ? undefined : id} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-xs font-medium break-words" dir="auto">
        {label}
      </legend>
      {hint !== null && <p className="text-muted text-xs">{hint}</p>}
      {children}
      {error !== null && (
        <p id={id} className="text-bad text-xs">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Choice({
  type,
  label,
  description,
  checked,
  onChange,
}: {
  type: 'radio' | 'checkbox';
  label: string;
  description?: string | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label className="flex items-start gap-2">
      <input
        type={type}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-accent mt-0.5 size-4 shrink-0"
      />
      <span className="min-w-0 break-words" dir="auto">
        {label}
        {description !== undefined && <span className="text-muted block text-xs">{description}</span>}
      </span>
    </label>
  );
}
