import { useState, type FormEvent } from 'react';
import { Link } from '@tanstack/react-router';
import { ApiError, type Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd, Select, Switch } from '../../../ui';
import {
  accountsFor,
  bodyOf,
  newBinding,
  providerChoices,
  type Binding,
  type BindingBody,
  type Provider,
} from './binding-draft';
import { BindingFields } from './binding-fields';

type Agent = Schema<'Agent'>;
type Connection = Schema<'Connection'>;

/** Lets an agent answer from an account, or changes how it does. Provider and account of a binding are fixed. */
export function BindingDialog({
  agent,
  of,
  connections,
  onClose,
}: {
  agent: Agent;
  /** Null makes one. */
  of: Binding | null;
  connections: readonly Connection[];
  onClose: () => void;
}) {
  const [body, setBody] = useState<BindingBody>(() => (of === null ? newBinding('slack') : bodyOf(of)));
  const change = (part: Partial<BindingBody>): void => setBody((before) => ({ ...before, ...part }));
  const callFor = (given: BindingBody) => call('agents', 'saveMessagingBinding', agent.id, given);
  const save = useCheckedWrite('AgentMessagingBindingRequest', callFor, { done: 'Saved', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.submit(body);
  };
  return (
    <Dialog open onClose={onClose} title={of === null ? 'Answer from an account' : 'Change how it answers'}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {of === null && <Account agent={agent} {...{ body, connections }} onChange={change} faultAt={save.faultAt} />}
        <BindingFields body={body} onChange={change} faultAt={save.faultAt} />
        {(ApiError.is(save.error, 'already_exists') || body.replace_existing) && (
          <Switch
            label="Take the account over from that agent"
            checked={body.replace_existing ?? false}
            onChange={(replace_existing) => change({ replace_existing })}
          />
        )}
        <FormEnd call={callFor(body)} write={save} onClose={onClose}>
          Save
        </FormEnd>
      </form>
    </Dialog>
  );
}

function Account({
  agent,
  body,
  connections,
  onChange,
  faultAt,
}: {
  agent: Agent;
  body: BindingBody;
  connections: readonly Connection[];
  onChange: (part: Partial<BindingBody>) => void;
  faultAt: (member: string) => string | null;
}) {
  const accounts = accountsFor(body.provider, agent.id, connections);
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <Select
        label="Provider"
        options={providerChoices}
        value={body.provider}
        onChange={({ target }) => onChange(newBinding(target.value as Provider))}
        error={faultAt('provider')}
      />
      <Select
        label="Account"
        required
        hint={
          accounts.length > 0 ? undefined : (
            <>
              No connection of the team for this grants the agent.{' '}
              <Link to="/access" search={{ view: 'connections' } as never} className="text-accent underline">
                To the connections
              </Link>
            </>
          )
        }
        options={[{ value: '', label: 'Choose…' }, ...accounts.map(({ id, name }) => ({ value: id, label: name }))]}
        value={body.integration_id}
        onChange={({ target }) => onChange({ integration_id: target.value })}
        error={faultAt('integration_id')}
      />
    </div>
  );
}
