import { useParams } from '@tanstack/react-router';
import { ApiError } from '@aos/client';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { useFilters } from '../../api/filters';
import { useItem } from '../../api/hooks';
import { Button, Dialog, Facts, Id, ItemView, Page, Status, Tabs } from '../../ui';
import { copyName } from '../definitions/copy-name';
import { DefinitionMenu } from '../definitions/definition-menu';
import { ManagedNote, protectionOf, useBinding } from '../definitions/managed';
import { useSettingsTabs } from '../definitions/settings-tabs';
import { useDraft } from '../definitions/use-draft';
import { AgentForm } from './agent-form';
import { AgentAside } from './agent-aside';
import { AgentTools } from './agent-tools';
import { bodyOf, copyOf, type Agent, type AgentBody, type NewAgentBody } from './agent-body';
import { MembersTab } from './members/members-tab';
import { MessagingTab } from './messaging/messaging-tab';

export default function AgentPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const agent = useItem(call('agents', 'get', id));
  return (
    <Page
      title={agent.data?.name ?? 'Agent'}
      back={{ to: '/agents', label: 'Agents' }}
      lead={
        <>
          {agent.data && <Status value={agent.data.status} />}
          <Id value={id} />
        </>
      }
      call={agent.call}
      actions={agent.data && <AgentMenu agent={agent.data} />}
    >
      <ItemView item={agent}>{(value) => <AgentView key={value.id} agent={value} />}</ItemView>
    </Page>
  );
}

function AgentView({ agent }: { agent: Agent }) {
  const binding = useBinding(agent.id);
  const [{ tab = 'form' }, setFilters] = useFilters();
  const draft = useDraft(bodyOf(agent));
  const save = useCheckedWrite(
    'UpdateAgentRequest',
    (body: Partial<AgentBody>) => call('agents', 'update', agent.id, body),
    { done: 'Saved' },
  );
  const settings = useSettingsTabs({
    word: 'Agent',
    schema: 'UpdateAgentRequest',
    draft,
    save,
    call: call('agents', 'update', agent.id, draft.changes),
    refused: protectionOf(binding),
    fields: () => <AgentForm draft={draft} faultAt={save.faultAt} />,
  });
  return (
    <>
      <ManagedNote binding={binding} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <Tabs
          label="Views of the agent"
          value={tab}
          onChange={(next) => setFilters({ tab: next === 'form' ? '' : next })}
          tabs={[
            ...settings,
            { value: 'tools', label: 'Tools', content: <AgentTools agent={agent} /> },
            { value: 'members', label: 'Members', content: <MembersTab agent={agent} /> },
            { value: 'messaging', label: 'Messaging', content: <MessagingTab agent={agent} /> },
          ]}
        />
        <AgentAside agent={agent} />
      </div>
      {ApiError.is(save.error, 'visibility_change_unconfirmed') && (
        <ConfirmAudience
          agent={agent}
          body={draft.changes}
          onClose={save.reset}
          onConfirm={() => save.submit({ ...draft.changes, confirm_visibility_change: true })}
          busy={save.isPending}
        />
      )}
    </>
  );
}

/** A change of audience that the service wants confirmed, with what it would do. */
function ConfirmAudience({
  agent,
  body,
  onClose,
  onConfirm,
  busy,
}: {
  agent: Agent;
  body: Partial<AgentBody>;
  onClose: () => void;
  onConfirm: () => void;
  busy: boolean;
}) {
  const visibility = body.visibility ?? agent.visibility;
  const impact = useItem(call('agents', 'previewVisibilityChange', agent.id, { visibility }));
  return (
    <Dialog
      open
      onClose={onClose}
      title="Change who may use this agent"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="primary" busy={busy} onClick={onConfirm}>
            Change it
          </Button>
        </>
      }
    >
      <ItemView item={impact}>
        {({ from, to, shared_entry_count, affected_resources }) => (
          <Facts
            facts={[
              ['From', from],
              ['To', to],
              ['Shared memory', `${shared_entry_count} entries become readable by the new audience`],
              ['Resources', `${affected_resources.length} that the agent holds are affected`],
            ]}
          />
        )}
      </ItemView>
    </Dialog>
  );
}

const nameMax = 63;

function AgentMenu({ agent }: { agent: Agent }) {
  return (
    <DefinitionMenu
      word="agent"
      name={agent.name}
      list="/agents"
      pathOf={(made) => `/agents/${(made as Agent).id}`}
      duplicating={{
        schema: 'CreateAgentRequest',
        name: copyName(agent.name, nameMax),
        bodyFor: (name) => copyOf(agent, name),
        callFor: (body) => call('agents', 'create', body as NewAgentBody),
        note: 'The copy has the same settings. It shares no sessions, memory or members.',
      }}
      removing={call('agents', 'delete', agent.id)}
      consequence="Its open turns end as failed. Sessions and the audit are kept; its name is free again."
      changes={['sessions', 'blueprints', 'routines']}
    />
  );
}
