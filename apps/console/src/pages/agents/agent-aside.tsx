import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { Card, Facts, Id, Skeleton, Time } from '../../ui';
import { tagsText } from '../definitions/tags-field';
import type { Agent } from './agent-body';

export function AgentAside({ agent }: { agent: Agent }) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Card title="About">
        <Facts
          facts={[
            ['Owner', agent.owner.kind === 'team' ? 'team' : <Id key="owner" value={agent.owner.id ?? ''} short />],
            ['Principal', <Id key="principal" value={agent.principal_id} short />],
            agent.external_ref === undefined ? null : ['External ref', agent.external_ref],
            agent.email_address === undefined ? null : ['Inbox', agent.email_address],
            agent.member_count === undefined ? null : ['Members', String(agent.member_count)],
            tagsText(agent.tags) === '' ? null : ['Tags', tagsText(agent.tags)],
            ['Made', <Time key="made" at={agent.created_at} form="whole" />],
            ['Changed', <Time key="changed" at={agent.updated_at} />],
          ]}
        />
      </Card>
      <Card title="Where it is used">
        <div className="flex flex-col gap-3">
          <Link
            to="/sessions"
            search={{ agent_id: agent.id } as never}
            className="text-accent self-start font-medium underline"
          >
            Its sessions
          </Link>
          <Link
            to="/agents/$id/memory"
            params={{ id: agent.id }}
            className="text-accent self-start font-medium underline"
          >
            Its memory
          </Link>
          <Routines agentId={agent.id} />
        </div>
      </Card>
    </div>
  );
}

const shownMax = 10;

function Routines({ agentId }: { agentId: string }) {
  const routines = useRows(call('routines', 'list', { agent_id: agentId, limit: shownMax }));
  if (routines.lacks !== null) return null;
  if (routines.isPending) return <Skeleton lines={2} />;
  if (routines.rows.length === 0) return <p className="text-muted">No routine starts it.</p>;
  return (
    <ul aria-label="Routines that start it" className="flex flex-col gap-1">
      {routines.rows.map(({ id, name }) => (
        <li key={id} className="truncate">
          Routine{' '}
          <Link to={`/routines/${id}`} className="text-accent underline">
            {name}
          </Link>
        </li>
      ))}
      {routines.hasMore && <li className="text-muted">and more</li>}
    </ul>
  );
}
