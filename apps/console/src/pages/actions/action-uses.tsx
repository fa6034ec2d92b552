import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useAgents } from '../../api/use-agents';
import { allMax, useAll } from '../../api/use-all';
import { Card, Skeleton } from '../../ui';
import { grants } from '../agents/selectors-field';

/** Agents that are granted an action, and skills that name it. */
export function ActionUses({ action }: { action: string }) {
  const agents = useAgents();
  const skills = useAll(call('skills', 'list', { limit: 100 }));
  const granted = agents.rows.filter(({ action_selectors }) => action_selectors?.some((one) => grants(one, action)));
  const naming = skills.rows.filter((skill) =>
    [skill.allowed_actions, skill.required_actions, skill.recommended_actions].some((names) => names?.includes(action)),
  );
  if (agents.lacks !== null) return null;
  return (
    <Card title="Where it is used">
      {agents.isPending || skills.isPending ? (
        <Skeleton lines={3} />
      ) : (
        <div className="flex flex-col gap-3">
          <Names word="agent" path="/agents" of={granted} none="No agent is granted it." />
          <Names word="skill" path="/skills" of={naming} none="No skill names it." />
          {(agents.isCut || skills.isCut) && (
            <p className="text-muted text-xs">The first {allMax} of each were looked through.</p>
          )}
        </div>
      )}
    </Card>
  );
}

const shownMax = 20;

function Names({
  word,
  path,
  of,
  none,
}: {
  word: string;
  path: string;
  of: readonly { id: string; name: string }[];
  none: string;
}) {
  if (of.length === 0) return <p className="text-muted">{none}</p>;
  return (
    <ul aria-label={`${word}s`} className="flex flex-col gap-1">
      {of.slice(0, shownMax).map(({ id, name }) => (
        <li key={id} className="truncate">
          <span className="text-muted">{word}</span>{' '}
          <Link to={`${path}/${id}`} className="text-accent underline">
            <bdi>{name}</bdi>
          </Link>
        </li>
      ))}
      {of.length > shownMax && <li className="text-muted">and {of.length - shownMax} more</li>}
    </ul>
  );
}
