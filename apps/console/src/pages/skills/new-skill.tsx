import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Dialog, FormEnd, TextArea, TextField } from '../../ui';

type SkillBody = RequestBody<'createSkill'>;

export function NewSkill({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [body, setBody] = useState<SkillBody>({ name: '', instructions: '', visibility: 'organization' });
  const create = useWrite((given: SkillBody) => call('skills', 'create', given), {
    done: ({ name }) => `${name} was made`,
    onDone: ({ id }) => void navigate({ to: '/skills/$id', params: { id } }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(body);
  };
  return (
    <Dialog open onClose={onClose} title="New skill">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label="Name"
          required
          maxLength={80}
          value={body.name}
          onChange={({ target }) => setBody({ ...body, name: target.value })}
        />
        <TextArea
          label="Instructions"
          required
          rows={6}
          value={body.instructions}
          onChange={({ target }) => setBody({ ...body, instructions: target.value })}
        />
        <FormEnd call={call('skills', 'create', body)} write={create} onClose={onClose}>
          Make skill
        </FormEnd>
      </form>
    </Dialog>
  );
}
