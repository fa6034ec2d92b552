import { useState, type FormEvent } from 'react';
import * as Popover from '@radix-ui/react-popover';
import { Button, IconButton, Select, TextField } from '../../ui';
import { valueOfText } from './cell-values';
import { filterOf, operators, termsOf, termText, type ColumnHead, type Filter, type Operator } from './row-filters';

const facts: ColumnHead[] = [
  { name: 'created_at', type: 'date' },
  { name: 'updated_at', type: 'date' },
];

/** The terms of the filter, each with a button that takes it away, and one that adds a term. */
export function FilterBar({
  columns,
  filter,
  onChange,
}: {
  columns: readonly ColumnHead[];
  filter: Filter;
  onChange: (filter: Filter) => void;
}) {
  const terms = termsOf(filter);
  return (
    <>
      {terms.map((term, at) => (
        <span
          key={`${term.column} ${term.operator}`}
          className="bg-accent-soft text-accent inline-flex max-w-full items-center rounded-md pl-2 text-xs font-medium"
        >
          <span className="min-w-0 truncate">{termText(term)}</span>
          <IconButton
            label={`Remove the filter ${termText(term)}`}
            icon="close"
            onClick={() => onChange(filterOf(terms.filter((_, other) => other !== at)))}
          />
        </span>
      ))}
      <NewTerm columns={[...columns, ...facts]} onAdd={(term) => onChange(filterOf([...terms, term]))} />
    </>
  );
}

function NewTerm({
  columns,
  onAdd,
}: {
  columns: readonly ColumnHead[];
  onAdd: (term: { column: string; operator: Operator; value: unknown }) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState(columns[0]?.name ?? '');
  const [operator, setOperator] = useState<Operator>('$eq');
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const type = columns.find((column) => column.name === name)?.type ?? 'any';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    const read = operandOf(text, operator, type);
    if ('fault' in read) {
      setFault(read.fault);
      return;
    }
    onAdd({ column: name, operator, value: read.value });
    setText('');
    setFault(null);
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button icon="plus">Filter</Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label="New filter"
          className="bg-surface border-line shadow-raised z-50 w-72 rounded-lg border p-3"
        >
          <form onSubmit={submit} className="flex flex-col gap-3">
            <Select
              label="Column"
              options={columns.map((column) => ({ value: column.name, label: column.name }))}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
            <Select
              label="Condition"
              options={operators}
              value={operator}
              onChange={({ target }) => setOperator(target.value as Operator)}
            />
            <TextField
              label="Value"
              hint={hintOf(operator)}
              value={text}
              onChange={({ target }) => setText(target.value)}
              error={fault}
            />
            <Button look="primary" type="submit">
              Add filter
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function hintOf(operator: Operator): string {
  if (operator === '$in') return 'Several, with commas between.';
  return operator === '$exists' ? 'true or false' : 'Nothing means: without a value.';
}

function operandOf(text: string, operator: Operator, type: ColumnHead['type']): { value: unknown } | { fault: string } {
  if (operator === '$exists') return { value: text.trim().toLowerCase() !== 'false' };
  if (operator !== '$in') return valueOfText(text, type);
  const reads = text.split(',').map((part) => valueOfText(part.trim(), type));
  const wrong = reads.find((read) => 'fault' in read);
  return wrong ?? { value: reads.map((read) => ('value' in read ? read.value : null)) };
}
