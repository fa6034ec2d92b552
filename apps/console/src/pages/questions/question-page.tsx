import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useMe } from '../../api/permissions';
import { ThingLink } from '../../names/thing-link';
import { concerns, isOpen, type Interaction } from '../../questions/words';
import { ItemView, Menu, Page, Status, type MenuItem } from '../../ui';
import { AboutQuestion, Lifecycle } from './about-question';
import { AskedThing } from './asked-thing';
import { Dismiss } from './dismiss-question';
import { Hide } from './hide-question';
import { Responses } from './responses';
import { useQuestion } from './use-question';
import { WhatToDo } from './what-to-do';

/** One question: what is asked, the form that answers or reviews it, what was answered, and its course. */
export default function QuestionPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const question = useQuestion(id);
  const [asked, setAsked] = useState<'dismiss' | 'hide' | null>(null);
  const { data } = question;
  const close = (): void => setAsked(null);
  return (
    <Page
      title={data?.title ?? 'Question'}
      back={{ to: '/questions', label: 'Questions' }}
      lead={data && <Status value={data.status} />}
      call={question.call}
      actions={<Actions of={data} onAsk={setAsked} />}
    >
      <ItemView item={question}>
        {(value) => (
          <>
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-5">
                <AskedThing of={value} thing={ThingLink} />
                <WhatToDo of={value} />
                <Responses of={value} />
              </div>
              <div className="flex min-w-0 flex-col gap-5">
                <AboutQuestion of={value} />
                <Lifecycle of={value} />
              </div>
            </div>
            {asked === 'dismiss' && <Dismiss of={value} onClose={close} />}
            {asked === 'hide' && <Hide of={value} onClose={close} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

/** What this reader may do beside answering: those whom it concerns and administrators. */
function Actions({ of, onAsk }: { of: Interaction | undefined; onAsk: (what: 'dismiss' | 'hide') => void }) {
  const { principal, permissions } = useMe();
  if (of === undefined) return null;
  const isAdmin = permissions.includes('svc.org.admin');
  const isConcerned = concerns(of, principal.id);
  const items: MenuItem[] = isOpen(of)
    ? [
        {
          label: 'Dismiss…',
          icon: 'close',
          needs: isConcerned || isAdmin ? call('interactions', 'cancel', of.id) : 'svc.org.admin',
          onSelect: () => onAsk('dismiss'),
        },
      ]
    : [
        {
          label: 'Hide…',
          icon: 'trash',
          danger: true,
          needs: of.created_by === principal.id ? call('interactions', 'delete', of.id) : 'svc.org.admin',
          onSelect: () => onAsk('hide'),
        },
      ];
  return <Menu label="More" items={items} />;
}
