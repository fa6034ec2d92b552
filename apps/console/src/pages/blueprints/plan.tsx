import { Link } from '@tanstack/react-router';
import type { Reply, Schema } from '@aos/client';
import { pageOf } from './blueprint-groups';
import { FieldChange } from './field-change';

type Change = Schema<'BlueprintChange'>;

const signs = {
  created: { sign: '+', colour: 'text-good', planned: 'is made', done: 'was made' },
  updated: { sign: '~', colour: 'text-warn', planned: 'changes', done: 'changed' },
  adopted: { sign: '~', colour: 'text-info', planned: 'is taken over', done: 'was taken over' },
  unchanged: { sign: ' ', colour: 'text-muted', planned: 'stays', done: 'stayed' },
} as const;

/** What a blueprint would do, or did: each resource, with what the fields that differ hold before and after. */
export function Plan({ result, isApplying }: { result: Reply<'applyBlueprint'>; isApplying: boolean }) {
  const isDone = result.status === 'applied';
  return (
    <section aria-label={isDone ? 'Result' : 'Plan'} aria-busy={isApplying} className="flex flex-col gap-2">
      <p role="status" className="font-medium">
        {summary(result.changes, isDone)}
      </p>
      <ul
        aria-label="Resources"
        className="bg-sunken max-h-72 overflow-y-auto rounded-md px-3 py-2 text-xs"
        tabIndex={0}
      >
        {result.changes.map((change) => (
          <Line key={`${change.resource_type} ${change.key}`} change={change} isDone={isDone} />
        ))}
      </ul>
    </section>
  );
}

function Line({
  change: { resource_type: type, key, name, resource_id: id, action, fields, values },
  isDone,
}: {
  change: Change;
  isDone: boolean;
}) {
  const { sign, colour, planned, done } = signs[action];
  return (
    <li className="py-0.5 leading-5">
      <span aria-hidden="true" className={`inline-block w-4 font-mono font-semibold ${colour}`}>
        {sign}
      </span>
      <span className="text-muted">{type}</span>{' '}
      {id === undefined ? (
        <b className="font-medium break-words">{name ?? key}</b>
      ) : (
        <Link to={pageOf(type, id, name)} className="font-medium break-words underline">
          {name ?? key}
        </Link>
      )}{' '}
      <span className={colour}>{isDone ? done : planned}</span>
      {fields?.map((field) => (
        <FieldChange key={field} name={field} value={values?.find((value) => value.field === field)} />
      ))}
    </li>
  );
}

function summary(changes: readonly Change[], isDone: boolean): string {
  const count = (action: Change['action']): number => changes.filter((change) => change.action === action).length;
  const parts = [
    [count('created'), isDone ? 'made' : 'to make'],
    [count('updated'), isDone ? 'changed' : 'to change'],
    [count('adopted'), isDone ? 'taken over' : 'to take over'],
    [count('unchanged'), 'unchanged'],
  ] as const;
  const said = parts.filter(([of]) => of > 0).map(([of, word]) => `${of} ${word}`);
  return said.length === 0 ? 'It names no resources.' : `${said.join(', ')}.`;
}
