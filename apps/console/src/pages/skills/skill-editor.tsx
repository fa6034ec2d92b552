import { useState } from 'react';
import type { Reply, RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Button, CallShown, Card, CodeEditor, ErrorNote, Tabs } from '../../ui';
import { membersOf } from '../definitions/members';

type Skill = Reply<'getSkill'>;
type SkillBody = RequestBody<'updateSkill'>;

const changeable = [
  'name',
  'title',
  'description',
  'instructions',
  'visibility',
  'allowed_actions',
  'required_actions',
  'recommended_actions',
  'tags',
] as const;

/** What of a skill may be changed. */
function bodyOf(skill: Skill): SkillBody {
  return membersOf(skill, changeable) as SkillBody;
}

export function SkillEditor({ skill }: { skill: Skill }) {
  const [body, setBody] = useState(() => bodyOf(skill));
  const [faults, setFaults] = useState(0);
  const save = useWrite((given: SkillBody) => call('skills', 'update', skill.id, given), { done: 'Saved' });
  const isSystem = skill.source === 'system';
  const isChanged = JSON.stringify(body) !== JSON.stringify(bodyOf(skill));
  const saving = call('skills', 'update', skill.id, body);
  return (
    <Card title="Skill">
      <div className="flex flex-col gap-4">
        <Forms body={body} readOnly={isSystem} onChange={setBody} onFaults={setFaults} />
        {save.error && <ErrorNote error={save.error} />}
        {!isSystem && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <CallShown call={saving} />
            <Button
              look="primary"
              needs={saving}
              disabled={!isChanged || faults > 0}
              busy={save.isPending}
              onClick={() => save.mutate(body)}
            >
              Save
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

/** The same body as text for a model, and whole as JSON. */
function Forms({
  body,
  readOnly,
  onChange,
  onFaults,
}: {
  body: SkillBody;
  readOnly: boolean;
  onChange: (body: SkillBody) => void;
  onFaults: (count: number) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(body, null, 2));
  const changeInstructions = (instructions: string): void => {
    const next = { ...body, instructions };
    onChange(next);
    setText(JSON.stringify(next, null, 2));
  };
  const changeText = (next: string): void => {
    setText(next);
    const read = bodyFrom(next);
    if (read === null)
      onFaults(1); // the editor marks where
    else onChange(read);
  };
  const shared = { readOnly, minLines: 12 };
  const instructions = (
    <CodeEditor
      {...shared}
      label="Instructions"
      language="markdown"
      value={body.instructions}
      onChange={changeInstructions}
    />
  );
  const json = (
    <CodeEditor
      {...shared}
      label="Skill as JSON"
      language="json"
      schema="SkillRequest"
      value={text}
      onChange={changeText}
      onFaults={onFaults}
    />
  );
  return (
    <Tabs
      label="Form of the skill"
      tabs={[
        { value: 'instructions', label: 'Instructions', content: instructions },
        { value: 'json', label: 'JSON', content: json },
      ]}
    />
  );
}

function bodyFrom(text: string): SkillBody | null {
  try {
    return JSON.parse(text) as SkillBody;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
