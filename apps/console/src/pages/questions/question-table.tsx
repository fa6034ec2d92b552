import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { Rows } from '../../api/hooks';
import { AgentName, PrincipalName } from '../../names/name';
import { isOpen, kindWords, reviewersOf, type Interaction } from '../../questions/words';
import { Badge, EmptyState, Status, Table, Time } from '../../ui';

/** Questions, each leading to its page. */
export function QuestionTable({
  label,
  list,
  reviewer,
  children,
}: {
  label: string;
  list: Rows<Interaction>;
  /** Marks what this principal reviews. */
  reviewer?: string;
  /** What to do when there are none. */
  children: ReactNode;
}) {
  return (
    <Table
      label={label}
      list={list}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Question',
          cell: (one) => (
            <>
              <Link to="/questions/$id" params={{ id: one.id }} className="after:absolute after:inset-0" dir="auto">
                {one.title}
              </Link>
              {reviewer !== undefined && reviewersOf(one).includes(reviewer) && (
                <span className="pl-2">
                  <Badge tone="accent">You review this</Badge>
                </span>
              )}
            </>
          ),
        },
        { title: 'Kind', wideOnly: true, cell: ({ kind }) => kindWords[kind] ?? kind },
        { title: 'Status', cell: ({ status }) => <Status value={status} /> },
        { title: 'Asked by', wideOnly: true, cell: (one) => <AskedBy of={one} /> },
        {
          title: 'Until',
          wideOnly: true,
          cell: (one) => (one.expires_at && isOpen(one) ? <Time at={one.expires_at} /> : ''),
        },
        { title: 'Asked', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <EmptyState icon="question" title="Nothing waits here">
          {children}
        </EmptyState>
      }
    />
  );
}

export function AskedBy({ of: { container, created_by } }: { of: Interaction }) {
  return container?.kind === 'agent' ? <AgentName id={container.id} link={false} /> : <PrincipalName id={created_by} />;
}
