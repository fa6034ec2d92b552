import { useState } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Reply } from '@aos/client';
import { call } from '../../api/call';
import { useItem } from '../../api/hooks';
import { Badge, Card, DestroyByName, Facts, Id, ItemView, Menu, Page, Time } from '../../ui';
import { SkillEditor } from './skill-editor';

type Skill = Reply<'getSkill'>;

export default function SkillPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const skill = useItem(call('skills', 'get', id));
  const [isDeleting, setDeleting] = useState(false);
  const isOwn = skill.data?.source === 'custom';
  return (
    <Page
      title={skill.data?.name ?? 'Skill'}
      back={{ to: '/skills', label: 'Skills' }}
      lead={<Id value={id} />}
      call={skill.call}
      actions={
        isOwn && (
          <Menu
            label="More"
            items={[
              {
                label: 'Delete…',
                icon: 'trash',
                danger: true,
                needs: call('skills', 'delete', id),
                onSelect: () => setDeleting(true),
              },
            ]}
          />
        )
      }
    >
      <ItemView item={skill}>
        {(value) => (
          <>
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_18rem]">
              <SkillEditor key={value.updated_at} skill={value} />
              <About skill={value} />
            </div>
            {isDeleting && <DeleteSkill skill={value} onClose={() => setDeleting(false)} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

function About({ skill }: { skill: Skill }) {
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Source', <Badge key="source">{skill.source}</Badge>],
          ['Visibility', skill.visibility],
          ['Made', <Time key="made" at={skill.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={skill.updated_at} />],
          ['Actions', (skill.allowed_actions ?? []).join(', ') || 'none'],
        ]}
      />
    </Card>
  );
}

function DeleteSkill({ skill, onClose }: { skill: Skill; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this skill"
      name={skill.name}
      consequence="It is taken off every agent that has it."
      call={call('skills', 'delete', skill.id)}
      done={`${skill.name} was deleted`}
      changes={['agents']}
      onDone={() => void navigate({ to: '/skills' })}
    />
  );
}
