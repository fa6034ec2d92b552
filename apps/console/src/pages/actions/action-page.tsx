import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { useFilters } from '../../api/filters';
import { useItem, useWrite } from '../../api/hooks';
import { Badge, Card, Facts, Id, ItemView, Page, SecretShown, Tabs, Time } from '../../ui';
import { copyName } from '../definitions/copy-name';
import { DefinitionMenu } from '../definitions/definition-menu';
import { ManagedNote, protectionOf, useBinding } from '../definitions/managed';
import { tagsText } from '../definitions/tags-field';
import { useSettingsTabs } from '../definitions/settings-tabs';
import { useDraft } from '../definitions/use-draft';
import { ActionForm } from './action-form';
import { ActionRuns } from './action-runs';
import { ActionUses } from './action-uses';
import { bodyOf, copyOf, isBuiltIn, type Action, type ActionBody, type NewActionBody } from './action-body';
import { secretOfAction } from './action-secret';
import { BuiltInAction } from './built-in-action';
import { TryAction } from './try-action';

export default function ActionPage() {
  const { id: name = '' } = useParams({ strict: false }) as { id?: string };
  return isBuiltIn(name) ? <BuiltInAction name={name} /> : <CustomAction name={name} />;
}

function CustomAction({ name }: { name: string }) {
  const action = useItem(call('actions', 'get', name));
  return (
    <Page
      title={name}
      back={{ to: '/actions', label: 'Actions' }}
      lead={
        action.data && (
          <>
            <Badge>{action.data.endpoint_kind}</Badge>
            <Id value={action.data.id} />
          </>
        )
      }
      call={action.call}
      actions={action.data && <ActionMenu action={action.data} />}
    >
      <ItemView item={action}>{(value) => <ActionView key={value.id} action={value} />}</ItemView>
    </Page>
  );
}

function ActionView({ action }: { action: Action }) {
  const binding = useBinding(action.id);
  const [{ tab = 'form' }, setFilters] = useFilters();
  const draft = useDraft(bodyOf(action));
  const save = useCheckedWrite(
    'UpdateActionRequest',
    (body: Partial<ActionBody>) => call('actions', 'update', action.name, body),
    { done: 'Saved', changes: ['catalog'] },
  );
  const settings = useSettingsTabs({
    word: 'Action',
    schema: 'UpdateActionRequest',
    draft,
    save,
    call: call('actions', 'update', action.name, draft.changes),
    refused: protectionOf(binding),
    fields: (onFaults) => <ActionForm action={action} draft={draft} faultAt={save.faultAt} onFaults={onFaults} />,
  });
  return (
    <>
      <ManagedNote binding={binding} fixed="Its name and kind are fixed." />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Tabs
          label="Views of the action"
          value={tab}
          onChange={(next) => setFilters({ tab: next === 'form' ? '' : next })}
          tabs={[
            ...settings,
            { value: 'try', label: 'Try', content: <TryAction action={action} /> },
            { value: 'runs', label: 'Runs', content: <ActionRuns action={action.name} /> },
          ]}
        />
        <div className="flex min-w-0 flex-col gap-5">
          <About action={action} />
          <ActionUses action={action.name} />
        </div>
      </div>
    </>
  );
}

function About({ action }: { action: Action }) {
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Kind', `${action.endpoint_kind} (fixed)`],
          ['Visibility', action.visibility],
          ['Owner', action.owner.kind === 'team' ? 'team' : <Id key="owner" value={action.owner.id ?? ''} short />],
          tagsText(action.tags) === '' ? null : ['Tags', tagsText(action.tags)],
          ['Made', <Time key="made" at={action.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={action.updated_at} />],
        ]}
      />
    </Card>
  );
}

const nameMax = 128;

function ActionMenu({ action }: { action: Action }) {
  const [secret, setSecret] = useState<{ text: string; then: () => void } | null>(null);
  const rotating = call('actions', 'rotateSecret', action.name);
  const rotate = useWrite((_: null) => rotating, {
    done: 'The new secret is in use. Receivers may take the old one for 72 hours.',
    failed: 'Rotating the secret failed',
    onDone: ({ signing_secret }) => setSecret({ text: signing_secret, then: () => setSecret(null) }),
  });
  return (
    <>
      <DefinitionMenu
        word="action"
        name={action.name}
        list="/actions"
        pathOf={(made) => `/actions/${encodeURIComponent((made as Action).name)}`}
        duplicating={{
          schema: 'CreateActionRequest',
          name: copyName(action.name, nameMax),
          bodyFor: (name) => copyOf(action, name),
          callFor: (body) => call('actions', 'create', body as NewActionBody),
          note:
            action.endpoint_kind === 'http'
              ? 'The copy has a signing secret of its own: rotate it to see one.'
              : undefined,
        }}
        removing={call('actions', 'delete', action.name)}
        consequence="Agents that are granted it lose it with their next turn. Its records are kept."
        changes={['agents', 'catalog', 'blueprints']}
        more={
          action.endpoint_kind === 'http'
            ? [{ label: 'Rotate the secret', needs: rotating, onSelect: () => rotate.mutate(null) }]
            : []
        }
      />
      {secret && <SecretShown text={secret.text} description={secretOfAction} onClose={secret.then} />}
    </>
  );
}
