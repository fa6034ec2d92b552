import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { Dialog, FormEnd, Select, TextArea, TextField } from '../../ui';
import type { NewAgentBody } from './agent-body';
import { ModelField } from './model-field';

/** What each audience means. */
export const audiences = [
  { value: 'organization', label: 'Organization: all of it' },
  { value: 'restricted', label: 'Restricted: its members' },
  { value: 'private', label: 'Private: its owner' },
];

export function NewAgent({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [body, setBody] = useState<NewAgentBody>({ name: '', visibility: 'organization' });
  const create = useCheckedWrite('CreateAgentRequest', (given: NewAgentBody) => call('agents', 'create', given), {
    done: ({ name }) => `${name} was made`,
    onDone: ({ id }) => void navigate({ to: `/agents/${id}` }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(body);
  };
  return (
    <Dialog open onClose={onClose} title="New agent">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name"
          maxLength={63}
          value={body.name}
          onChange={({ target }) => setBody({ ...body, name: target.value })}
          error={create.faultAt('name')}
        />
        <ModelField
          value={body.model}
          onChange={(model) => setBody({ ...body, model: model === '' ? undefined : model })}
          error={create.faultAt('model')}
        />
        <TextArea
          label="System prompt"
          rows={5}
          value={body.system_prompt ?? ''}
          onChange={({ target }) => setBody({ ...body, system_prompt: target.value === '' ? undefined : target.value })}
          error={create.faultAt('system_prompt')}
        />
        <Select
          label="Who may use it"
          options={audiences}
          value={body.visibility}
          onChange={({ target }) => setBody({ ...body, visibility: target.value as NewAgentBody['visibility'] })}
          error={create.faultAt('visibility')}
        />
        <FormEnd call={call('agents', 'create', body)} write={create} onClose={onClose}>
          Make agent
        </FormEnd>
      </form>
    </Dialog>
  );
}
