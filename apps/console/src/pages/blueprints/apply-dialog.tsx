import { useRef, useState, type DragEvent } from 'react';
import type { Reply } from '@aos/client';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { Button, CallShown, classes, CodeEditor, Dialog, ErrorNote, Switch } from '../../ui';
import { FaultList } from '../definitions/fault-list';
import { documentFrom, type BlueprintBody } from './blueprint-document';
import { Plan } from './plan';

type Result = Reply<'applyBlueprint'>;

/** Paste or drop a blueprint, look at what it would do, apply it. */
export function ApplyDialog({ text: first, onClose }: { text: string; onClose: () => void }) {
  const [text, setText] = useState(first);
  const [faults, setFaults] = useState(0);
  const [protects, setProtects] = useState<boolean | null>(null);
  const [planned, setPlanned] = useState<{ text: string; result: Result } | null>(null);
  const read = documentFrom(text);
  const protection = protects === null ? {} : { protect_resources: protects };
  const bodyFor = (mode: 'preview' | 'apply'): BlueprintBody =>
    'body' in read ? { ...read.body, ...protection, mode } : { mode, resources: {} };
  const callFor = (body: BlueprintBody) => call('blueprints', 'apply', body, { include: 'values' });
  const plan = useCheckedWrite('ApplyBlueprintRequest', callFor, { onDone: (result) => setPlanned({ text, result }) });
  const apply = useCheckedWrite('ApplyBlueprintRequest', callFor, {
    done: 'The blueprint was applied',
    changes: ['agents', 'skills', 'actions', 'tables', 'catalog'],
    onDone: (result) => setPlanned({ text, result }),
  });
  const change = (next: string): void => {
    setText(next);
    plan.reset();
    apply.reset();
  };
  const isShown = planned !== null && planned.text === text;
  const isApplied = isShown && planned.result.status === 'applied';
  const isReady = 'body' in read && faults === 0;
  const error = plan.error ?? apply.error;
  return (
    <Dialog open onClose={onClose} title="Apply a blueprint" wide>
      <Source text={text} onChange={change} onFaults={setFaults} />
      {'fault' in read && <p className="text-muted text-xs">{read.fault}</p>}
      <Switch
        label="Protect its resources against other changes"
        checked={protects ?? ('body' in read && read.body.protect_resources === true)}
        onChange={(next) => {
          setProtects(next);
          setPlanned(null);
        }}
      />
      {error && <ErrorNote error={error} />}
      <FaultList faults={{ ...plan.faults, ...apply.faults }} />
      {apply.isPending && <progress aria-label="Applying" className="accent-accent w-full" />}
      {isShown && <Plan result={planned.result} isApplying={apply.isPending} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <CallShown call={callFor(bodyFor(isShown && !isApplied ? 'apply' : 'preview'))} />
        <div className="flex gap-2">
          <Button onClick={onClose}>{isApplied ? 'Close' : 'Cancel'}</Button>
          <Button
            look={isShown ? 'plain' : 'primary'}
            needs={callFor(bodyFor('preview'))}
            disabled={!isReady || apply.isPending}
            busy={plan.isPending}
            onClick={() => plan.submit(bodyFor('preview'))}
          >
            {plan.isPending ? 'Planning…' : 'Plan'}
          </Button>
          {isShown && !isApplied && (
            <Button
              look="primary"
              needs={callFor(bodyFor('apply'))}
              disabled={!isReady}
              busy={apply.isPending}
              onClick={() => apply.submit(bodyFor('apply'))}
            >
              {apply.isPending ? 'Applying…' : 'Apply'}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** The document in an editor, over which a file can be dropped. */
function Source({
  text,
  onChange,
  onFaults,
}: {
  text: string;
  onChange: (text: string) => void;
  onFaults: (count: number) => void;
}) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined): void => {
    if (file) void file.text().then(onChange);
  };
  const over = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    <div
      onDragOverCapture={over}
      onDragLeave={() => setOver(false)}
      onDropCapture={(event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        take(event.dataTransfer.files[0]);
      }}
      className={classes('flex min-w-0 flex-col gap-2 rounded-md', isOver && 'bg-accent-soft')}
    >
      <CodeEditor
        label="Blueprint as YAML or JSON"
        language="yaml"
        schema="ApplyBlueprintRequest"
        value={text}
        onChange={onChange}
        onFaults={onFaults}
        minLines={10}
        maxLines={18}
        hint="Paste it, or drop a file here."
      />
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json"
        aria-label="Blueprint file"
        className="sr-only"
        onChange={({ target }) => {
          take(target.files?.[0]);
          target.value = '';
        }}
      />
      <Button className="self-start" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
    </div>
  );
}
