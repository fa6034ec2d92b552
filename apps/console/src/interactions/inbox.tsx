import { useState } from 'react';
import { call } from '../api/call';
import { useRows } from '../api/hooks';
import { useLiveState } from '../api/live';
import { useAgain } from '../api/use-again';
import { kindWords, statuses } from '../questions/words';
import { CallShown, EmptyState, Select, Status, Table, Time } from '../ui';
import { Heading } from './shell';

const lookAgainMs = 10_000;
const everyStatus = { value: '', label: 'All' };
const choices = [...statuses.map((status) => ({ value: status, label: status.replace('_', ' ') })), everyStatus];

/** What waits for the reader, and what did. */
export function Inbox() {
  const [status, setStatus] = useState<(typeof statuses)[number] | ''>('pending');
  const list = useRows(call('interactions', 'list', { inbox: true, ...(status !== '' && { status }), limit: 50 }));
  useAgain(useLiveState() === 'off', list.reload, lookAgainMs);
  return (
    <>
      <Heading title="Inbox" />
      <div className="flex items-end justify-between gap-3">
        <Select
          label="Status"
          className="w-40"
          value={status}
          options={choices}
          onChange={({ target }) => setStatus(target.value as typeof status)}
        />
        <CallShown call={list.call} />
      </div>
      <Table
        label="Questions to you"
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Question',
            cell: ({ id, title }) => (
              <a href={`/interactions/${encodeURIComponent(id)}`} className="after:absolute after:inset-0" dir="auto">
                {title}
              </a>
            ),
          },
          { title: 'Kind', wideOnly: true, cell: ({ kind }) => kindWords[kind] ?? kind },
          { title: 'Status', cell: (one) => <Status value={one.status} /> },
          { title: 'Until', wideOnly: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : '') },
          { title: 'Asked', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <EmptyState icon="question" title="Nothing waits here">
            Questions that agents and programs put to you appear here as they are asked.
          </EmptyState>
        }
      />
    </>
  );
}
