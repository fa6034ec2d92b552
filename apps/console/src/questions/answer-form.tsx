import { useId, useState, type FormEvent, type ReactNode } from 'react';
import type { Reply, RequestBody } from '@aos/client';
import { call } from '../api/call';
import { useWrite } from '../api/hooks';
import { Button, CallShown, ErrorNote, TextArea, TextField } from '../ui';
import { answersOf, newDraft, type AnswerDraft, type Question, type QuestionDraft } from './answer-draft';

type Body = RequestBody<'respondToInteraction'>;

/** The form that answers a question: a control for each of its questions, and a comment. */
export function AnswerForm({
  interaction,
  onAnswered,
}: {
  interaction: Reply<'getInteraction'>;
  onAnswered?: (answered: Reply<'respondToInteraction'>) => void;
}) {
  const questions: readonly Question[] = interaction.spec.questions ?? [];
  const [draft, setDraft] = useState<AnswerDraft>(() => newDraft(questions));
  const [comment, setComment] = useState('');
  const [isTried, setTried] = useState(false);
  const respond = useWrite((body: Body) => call('interactions', 'respond', interaction.id, body), {
    done: 'Answered',
    changes: ['sessions', 'turns'],
    onDone: (answered) => onAnswered?.(answered),
  });
  const { answers, issues } = answersOf(questions, draft);
  const body = { answers, ...(comment.trim() === '' ? {} : { comment }) } as Body;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (issues.length === 0) respond.mutate(body);
  };
  return (
    <form onSubmit={submit} aria-label={`Answer ${interaction.title}`} className="flex flex-col gap-4">
      {questions.map((question) => (
        <QuestionField
          key={question.id}
          question={question}
          draft={draft[question.id] as QuestionDraft}
          onChange={(part) =>
            setDraft((before) => ({ ...before, [question.id]: { ...(before[question.id] as QuestionDraft), ...part } }))
          }
          error={isTried ? (issues.find(({ questionId }) => questionId === question.id)?.message ?? null) : null}
        />
      ))}
      <TextField
        label="Comment"
        hint="May be left empty."
        value={comment}
        onChange={(event) => setComment(event.target.value)}
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
    case 'multi_select':
      return <OptionChoices {...props} />;
  }
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
    <Choices label={label} error={error}>
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
              value={draft.other}
              onChange={(event) => onChange({ other: event.target.value })}
            />
          )}
        </>
      )}
    </Choices>
  );
}

function Choices({ label, error, children }: { label: string; error: string | null; children: ReactNode }) {
  const id = useId();
  return (
    <fieldset aria-describedby={error === null ? undefined : id} className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1 text-xs font-medium break-words" dir="auto">
        {label}
      </legend>
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
