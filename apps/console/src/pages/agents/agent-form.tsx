import { CodeEditor, Select, Switch, TextArea, TextField } from '../../ui';
import type { CheckedWrite } from '../../api/checked-write';
import { TagsField } from '../definitions/tags-field';
import type { Draft } from '../definitions/use-draft';
import type { AgentBody } from './agent-body';
import { ColourField } from './colour-field';
import { ModelField } from './model-field';
import { audiences } from './new-agent';
import { SelectorsField } from './selectors-field';
import { SkillsField } from './skills-field';

type FaultAt = CheckedWrite<AgentBody>['faultAt'];

interface Parts {
  draft: Draft<AgentBody>;
  faultAt: FaultAt;
}

/** What people change of an agent. The rest stands in its JSON. */
export function AgentForm({ draft, faultAt }: Parts) {
  const { body, change } = draft;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          maxLength={63}
          value={body.name ?? ''}
          onChange={({ target }) => change({ name: target.value })}
          error={faultAt('name')}
        />
        <ModelField
          value={body.model}
          onChange={(model) => change({ model })}
          error={faultAt('model') ?? faultAt('model_route')}
        />
      </div>
      <TextArea
        label="Description"
        rows={2}
        maxLength={4096}
        value={body.description ?? ''}
        onChange={({ target }) => change({ description: target.value })}
        error={faultAt('description')}
      />
      <div>
        <CodeEditor
          label="System prompt"
          language="markdown"
          value={body.system_prompt ?? ''}
          onChange={(system_prompt) => change({ system_prompt })}
          minLines={10}
        />
        {faultAt('system_prompt') && <p className="text-bad text-xs">{faultAt('system_prompt')}</p>}
      </div>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <SelectorsField
          value={body.action_selectors}
          onChange={(action_selectors) => change({ action_selectors })}
          error={faultAt('action_selectors')}
        />
        <SkillsField
          value={body.skill_ids}
          onChange={(skill_ids) => change({ skill_ids })}
          error={faultAt('skill_ids')}
        />
      </div>
      <Behaviour draft={draft} faultAt={faultAt} />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <TagsField value={body.tags} onChange={(tags) => change({ tags })} error={faultAt('tags')} />
        <ColourField value={body.color} onChange={(color) => change({ color })} error={faultAt('color')} />
      </div>
    </div>
  );
}

const efforts = ['inherit', 'low', 'medium', 'high', 'xhigh', 'max'].map((value) => ({ value, label: value }));
const presentations = [
  { value: 'flat', label: 'flat: a tool for each action' },
  { value: 'meta', label: 'meta: a router for each family' },
];
const statuses = [
  { value: 'active', label: 'active' },
  { value: 'inactive', label: 'inactive: admits no new turn' },
];

function Behaviour({ draft: { body, change }, faultAt }: Parts) {
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
      <Select
        label="Thinking effort"
        options={efforts}
        value={body.thinking_effort ?? 'inherit'}
        onChange={({ target }) => change({ thinking_effort: target.value as AgentBody['thinking_effort'] })}
        error={faultAt('thinking_effort')}
      />
      <Select
        label="Actions reach the model"
        options={presentations}
        value={body.tool_presentation ?? 'flat'}
        onChange={({ target }) => change({ tool_presentation: target.value as AgentBody['tool_presentation'] })}
        error={faultAt('tool_presentation')}
      />
      <TextField
        label="Time limit of a turn, in seconds"
        type="number"
        min={0}
        max={86400}
        placeholder="600"
        value={body.timeout_seconds === undefined || body.timeout_seconds === 0 ? '' : String(body.timeout_seconds)}
        onChange={({ target }) => change({ timeout_seconds: target.value === '' ? 0 : Number(target.value) })}
        error={faultAt('timeout_seconds')}
      />
      <Select
        label="Status"
        options={statuses}
        value={body.status ?? 'active'}
        onChange={({ target }) => change({ status: target.value as AgentBody['status'] })}
        error={faultAt('status')}
      />
      <Select
        label="Who may use it"
        options={audiences}
        value={body.visibility ?? 'organization'}
        onChange={({ target }) => change({ visibility: target.value as AgentBody['visibility'] })}
        error={faultAt('visibility')}
      />
      <div className="flex flex-col gap-2 pt-5">
        <Switch
          label="Memory"
          checked={body.memory_enabled ?? true}
          onChange={(memory_enabled) => change({ memory_enabled })}
        />
      </div>
    </div>
  );
}
