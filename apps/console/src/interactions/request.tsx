import { useState } from 'react';
import { call } from '../api/call';
import { useMe } from '../api/permissions';
import { AskedThing } from '../pages/questions/asked-thing';
import { Dismiss } from '../pages/questions/dismiss-question';
import { Responses } from '../pages/questions/responses';
import { useQuestion } from '../pages/questions/use-question';
import { WhatToDo } from '../pages/questions/what-to-do';
import { concerns, isOpen, kindWords, type Interaction } from '../questions/words';
import { Button, CallShown, ItemView, Status, Time } from '../ui';
import { Heading } from './shell';

/** One question: what is asked, the form that answers or reviews it, and what was answered. */
export function Request({ id }: { id: string }) {
  const question = useQuestion(id);
  const { data } = question;
  const [isDismissing, setDismissing] = useState(false);
  return (
    <>
      <Heading title={data?.title ?? 'Question'}>{data && <Lead of={data} />}</Heading>
      <ItemView item={question}>
        {(value) => (
          <>
            <AskedThing of={value} />
            <WhatToDo of={value} />
            <Responses of={value} />
            <Ways of={value} onDismiss={() => setDismissing(true)} />
            {isDismissing && isOpen(value) && <Dismiss of={value} onClose={() => setDismissing(false)} />}
          </>
        )}
      </ItemView>
    </>
  );
}

function Lead({ of: { kind, status, expires_at: until, ...of } }: { of: Interaction }) {
  return (
    <p className="text-muted flex flex-wrap items-center gap-x-2">
      {kindWords[kind] ?? kind}
      <Status value={status} />
      {until && isOpen({ status }) && (
        <span>
          until <Time at={until} form="whole" />
        </span>
      )}
      <span>
        asked <Time at={of.created_at} />
      </span>
    </p>
  );
}

function Ways({ of, onDismiss }: { of: Interaction; onDismiss: () => void }) {
  const { principal } = useMe();
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <CallShown call={call('interactions', 'get', of.id)} />
      {isOpen(of) && (
        <Button
          needs={concerns(of, principal.id) ? call('interactions', 'cancel', of.id) : 'svc.org.admin'}
          onClick={onDismiss}
        >
          Dismiss…
        </Button>
      )}
    </div>
  );
}
