import { useState, type ReactNode } from 'react';
import type { ApiCall } from '../../api/call';
import type { CheckedWrite } from '../../api/checked-write';
import { Card, type Tab } from '../../ui';
import { DraftForm } from './draft-card';
import { JsonForm } from './json-form';
import type { Draft } from './use-draft';

/** The two forms of a definition's settings: its fields, and its body as JSON. Both change one draft. */
export function useSettingsTabs<Body extends object>({
  word,
  schema,
  draft,
  save,
  call,
  refused,
  fields,
}: {
  /** What the definition is, in a label. */
  word: string;
  /** Name of the body's schema in the contract. */
  schema: string;
  draft: Draft<Body>;
  save: CheckedWrite<Partial<Body>>;
  call: ApiCall;
  refused: string | null;
  /** Takes what is called with the number of faults that an editor among the fields finds. */
  fields: (onFaults: (count: number) => void) => ReactNode;
}): Tab[] {
  const [faultCount, setFaultCount] = useState(0);
  const form = (title: string, content: ReactNode) => (
    <Card title={title}>
      <DraftForm draft={draft} save={save} call={call} faultCount={faultCount} refused={refused}>
        {content}
      </DraftForm>
    </Card>
  );
  const json = (
    <JsonForm
      label={`${word} as JSON`}
      schema={schema}
      body={draft.body}
      onChange={draft.replace}
      onFaults={setFaultCount}
    />
  );
  return [
    { value: 'form', label: 'Settings', content: form('Settings', fields(setFaultCount)) },
    { value: 'json', label: 'JSON', content: form('Settings as JSON', json) },
  ];
}
