import { useMemo, type ReactNode } from 'react';
import { call } from '../../api/call';
import type { Rows } from '../../api/hooks';
import { useAll } from '../../api/use-all';
import { AgentName } from '../../names/name';
import { Card, EmptyState, numberText, Table } from '../../ui';
import { creditsText } from './credits-text';
import { groupedBy, type UsageEvent, type UsageGroup } from './usage-sums';

/** The rows by agent, model and key. */
export function UsageGroups({ rows }: { rows: readonly UsageEvent[] }) {
  const sessions = useAll(call('sessions', 'list', { limit: 100 }));
  const keys = useAll(call('apiKeys', 'list', { limit: 100 }));
  const agentOf = useMemo(() => new Map(sessions.rows.map(({ id, agent_id: agent }) => [id, agent])), [sessions.rows]);
  const keyNames = new Map(keys.rows.map(({ id, name }) => [id, name]));
  const byAgent = useMemo(() => groupedBy(rows, ({ source_id: id }) => agentOf.get(id) ?? ''), [rows, agentOf]);
  const byModel = useMemo(() => groupedBy(rows, ({ model }) => model), [rows]);
  const byKey = useMemo(() => groupedBy(rows, ({ api_key_id: id }) => id), [rows]);
  const other = (text: string) => <span className="text-muted">{text}</span>;
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Groups
        title="By agent"
        what="Agent"
        groups={byAgent}
        isPending={sessions.isPending && sessions.lacks === null}
        name={({ key }) => (key === '' ? other('other sessions') : <AgentName id={key} />)}
      />
      <div className="flex min-w-0 flex-col gap-5">
        <Groups
          title="By model"
          what="Model"
          groups={byModel}
          name={({ key }) => (key === '' ? other('not known') : <bdi>{key}</bdi>)}
        />
        <Groups
          title="By key"
          what="Key"
          groups={byKey}
          name={({ key }) => (key === '' ? other('no key') : <bdi title={key}>{keyNames.get(key) ?? key}</bdi>)}
        />
      </div>
    </div>
  );
}

function Groups({
  title,
  what,
  groups,
  isPending = false,
  name,
}: {
  title: string;
  what: string;
  groups: UsageGroup[];
  isPending?: boolean;
  name: (group: UsageGroup) => ReactNode;
}) {
  const hasCost = groups.some(({ milliCredits }) => milliCredits > 0);
  return (
    <Card title={title} flush>
      <Table
        bare
        label={title}
        list={listOf(groups, isPending)}
        rowKey={({ key }) => key}
        columns={[
          { title: what, cell: name },
          { title: 'Input', align: 'right', cell: ({ input }) => numberText(input) },
          { title: 'Output', align: 'right', cell: ({ output }) => numberText(output) },
          {
            title: 'Cache',
            align: 'right',
            wideOnly: true,
            cell: ({ cacheRead, cacheWritten }) => numberText(cacheRead + cacheWritten),
          },
          ...(hasCost
            ? [
                {
                  title: 'Cost',
                  align: 'right' as const,
                  cell: ({ milliCredits }: UsageGroup) => (milliCredits > 0 ? creditsText(milliCredits) : ''),
                },
              ]
            : []),
        ]}
        empty={
          <EmptyState icon="usage" title="No usage">
            Tokens of model calls stand here once a turn has run in this time.
          </EmptyState>
        }
      />
    </Card>
  );
}

/** What was summed up already as the rows of a table. */
function listOf(rows: UsageGroup[], isPending: boolean): Rows<UsageGroup> {
  const nothing = (): void => undefined;
  return {
    rows,
    call: call('billing', 'listUsageEvents'),
    lacks: null,
    error: null,
    isPending,
    isStale: false,
    hasMore: false,
    isLoadingMore: false,
    loadMore: nothing,
    reload: nothing,
  };
}
