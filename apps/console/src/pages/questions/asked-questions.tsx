import type { Interaction } from '../../questions/words';
import { Card } from '../../ui';

/** The questions of the form, for those who do not answer it. */
export function AskedQuestions({ of: { spec } }: { of: Interaction }) {
  return (
    <Card title="Its questions">
      <ol className="flex flex-col gap-3">
        {(spec.questions ?? []).map(({ id, prompt, mode, options = [], required }) => (
          <li key={id} className="min-w-0">
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {prompt}
              {required === false && <span className="text-muted"> (may be left empty)</span>}
            </p>
            <p dir="auto" className="text-muted text-xs break-words">
              {mode === 'confirm' ? 'Approve or reject' : options.map(({ label }) => label).join(', ') || 'A text'}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
