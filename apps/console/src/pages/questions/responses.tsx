import type { Schema } from '@aos/client';
import { PrincipalName } from '../../names/name';
import { answerText, type Interaction } from '../../questions/words';
import { Badge, Card, Time } from '../../ui';

/** What was answered, in the words of the form. */
export function Responses({ of }: { of: Interaction }) {
  const { responses = [], spec, resolving_response_id: deciding } = of;
  if (responses.length === 0) return null;
  return (
    <Card title="Answers">
      <ol className="divide-line flex flex-col divide-y">
        {responses.map((response) => (
          <li key={response.id} className="flex min-w-0 flex-col gap-2 py-3 first:pt-0 last:pb-0">
            <p className="text-muted flex flex-wrap items-center gap-x-2 text-xs">
              <span className="text-text font-medium">
                <PrincipalName id={response.responder_user_id} />
              </span>
              <Time at={response.responded_at} />
              {response.attempt ? <span>round {response.attempt}</span> : null}
              {response.id === deciding && <Badge tone="good">Decided it</Badge>}
            </p>
            <Answers questions={spec.questions ?? []} answers={response.answers} />
            {response.comment && (
              <p dir="auto" className="bg-sunken rounded-md px-3 py-2 break-words whitespace-pre-wrap">
                {response.comment}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Answers({
  questions,
  answers,
}: {
  questions: readonly Schema<'InteractionQuestion'>[];
  answers: readonly Schema<'InteractionAnswer'>[];
}) {
  return (
    <dl className="flex flex-col gap-2">
      {questions.map((question) => (
        <div key={question.id}>
          <dt dir="auto" className="text-muted text-xs break-words">
            {question.prompt}
          </dt>
          <dd dir="auto" className="break-words whitespace-pre-wrap">
            {answerText(
              question,
              answers.find(({ question_id: id }) => id === question.id),
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
