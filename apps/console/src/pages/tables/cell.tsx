import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { ApiError } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { useToast } from '../../api/say';
import { classes } from '../../ui';
import { textOfValue, valueOfText } from './cell-values';
import { identityOf, type Column, type Table, type TableRow } from './table-body';

interface CellProps {
  table: Table;
  row: TableRow;
  column: Column;
  /** Row and column, by which the grid finds the cell. */
  cellKey: string;
  isCurrent: boolean;
  isEditing: boolean;
  onFocus: () => void;
  onEdit: () => void;
  /** The editor closes; whether the cell takes the focus back. */
  onLeave: (keepsFocus: boolean) => void;
}

export function Cell({ isEditing, ...cell }: CellProps) {
  const { row, column, cellKey, isCurrent, onFocus, onEdit } = cell;
  const lacks = useLacks('svc.resource.use');
  const text = textOfValue(row.data[column.name], column.type);
  if (isEditing && lacks === null) return <CellEditor {...cell} text={text} />;
  return (
    <div
      role="gridcell"
      data-cell={cellKey}
      tabIndex={isCurrent ? 0 : -1}
      aria-readonly={lacks === null ? undefined : true}
      onFocus={onFocus}
      onDoubleClick={lacks === null ? onEdit : undefined}
      title={text.length > 24 ? text : undefined}
      className={classes(
        'flex min-w-0 items-center px-2 -outline-offset-2',
        column.type === 'number' && 'justify-end tabular-nums',
        (column.type === 'object' || column.type === 'array') && 'font-mono text-xs',
      )}
    >
      <span dir="auto" className={classes('min-w-0 truncate', text === '' && 'text-muted')}>
        {text === '' ? '–' : text}
      </span>
    </div>
  );
}

function CellEditor({ table, row, column, text, onLeave }: Omit<CellProps, 'isEditing'> & { text: string }) {
  const [version] = useState(row.version);
  const [typed, setTyped] = useState(text);
  const [fault, setFault] = useState<string | null>(null);
  const control = useRef<HTMLElement>(null);
  const isDone = useRef(false);
  const say = useToast();
  const save = useWrite(
    (value: unknown) =>
      call('tables', 'updateRow', table.id, row.id, { data: { [column.name]: value as null }, version }),
    { onDone: () => leave(true) },
  );
  useEffect(() => control.current?.focus(), []);

  const leave = (keepsFocus: boolean): void => {
    if (isDone.current) return;
    isDone.current = true;
    onLeave(keepsFocus);
  };
  const finish = (): void => {
    if (isDone.current || save.isPending) return;
    const read = valueOfText(typed, column.type);
    if ('fault' in read) setFault(read.fault);
    else if (typed === text) leave(true);
    else
      save.mutate(read.value, {
        onError: (error) => {
          setFault(faultText(error));
          say(`${column.name} was not saved: ${faultText(error)}`, true);
        },
      });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      event.preventDefault();
      leave(true);
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      finish();
    } else if (event.key === 'Tab') finish();
  };
  const shared = {
    'aria-label': `${column.name} of ${identityOf(table, row)}`,
    'aria-invalid': fault === null ? undefined : (true as const),
    value: typed,
    disabled: save.isPending,
    onChange: ({ target }: { target: { value: string } }) => {
      setTyped(target.value);
      setFault(null);
    },
    onBlur: finish,
    onKeyDown,
  };
  return (
    <div role="gridcell" className="relative z-20">
      <Control type={column.type} control={control} shared={shared} />
      {fault !== null && (
        <p
          role="alert"
          className="bg-bad-soft text-bad shadow-raised absolute top-full left-0 w-64 rounded-md px-2 py-1 text-xs"
        >
          {fault}
        </p>
      )}
    </div>
  );
}

const look = 'bg-surface text-text w-full border-0 px-2 text-sm outline-2 outline-accent -outline-offset-2';

function Control({
  type,
  control,
  shared,
}: {
  type: Column['type'];
  control: React.RefObject<HTMLElement | null>;
  shared: React.ComponentProps<'input'> & React.ComponentProps<'textarea'> & React.ComponentProps<'select'>;
}) {
  if (type === 'boolean')
    return (
      <select {...shared} ref={control as React.RefObject<HTMLSelectElement>} className={classes(look, 'h-full')}>
        <option value="">no value</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  if (type === 'object' || type === 'array' || type === 'any' || type === 'string')
    return (
      <textarea
        {...shared}
        ref={control as React.RefObject<HTMLTextAreaElement>}
        rows={type === 'string' ? 1 : 5}
        dir="auto"
        className={classes(look, 'min-h-full py-1.5', type !== 'string' && 'shadow-raised font-mono text-xs')}
      />
    );
  return (
    <input
      {...shared}
      ref={control as React.RefObject<HTMLInputElement>}
      type="text"
      inputMode={type === 'number' ? 'decimal' : undefined}
      placeholder={type === 'date' ? '2026-11-24' : undefined}
      className={classes(look, 'h-full')}
    />
  );
}

function faultText(error: Error): string {
  if (ApiError.is(error, 'version_conflict')) return 'The row was changed meanwhile. Escape shows it as it is now.';
  const { issues } = error instanceof ApiError ? error.details : {};
  const said = Array.isArray(issues) ? issues.map((issue) => String((issue as { message?: unknown }).message)) : [];
  const id = error instanceof ApiError && error.requestId !== null ? ` (request ${error.requestId})` : '';
  return `${said.length > 0 ? said.join('; ') : error.message}${id}`;
}
