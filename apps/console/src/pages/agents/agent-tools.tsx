import { Link } from '@tanstack/react-router';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useItem } from '../../api/hooks';
import { Badge, CallShown, Card, EmptyState, ItemView } from '../../ui';
import type { Agent } from './agent-body';

type Manifest = Schema<'AgentToolManifest'>;

/** What the agent can call now: its grant over the live catalog. */
export function AgentTools({ agent }: { agent: Agent }) {
  const tools = useItem(call('agents', 'getTools', agent.id));
  return (
    <Card title="What it can call now" actions={<CallShown call={tools.call} />} flush>
      <ItemView item={tools}>{(manifest) => <Tools manifest={manifest} />}</ItemView>
    </Card>
  );
}

function Tools({ manifest: { tools, warnings } }: { manifest: Manifest }) {
  return (
    <>
      {warnings.length > 0 && (
        <ul aria-label="Warnings" className="border-line flex flex-col gap-1 border-b p-4">
          {warnings.map(({ code, message }) => (
            <li key={`${code} ${message}`} className="text-warn break-words">
              {message} <code className="font-mono text-xs">{code}</code>
            </li>
          ))}
        </ul>
      )}
      {tools.length === 0 ? (
        <EmptyState icon="action" title="It can call nothing">
          Grant actions under Settings.
        </EmptyState>
      ) : (
        <ul aria-label="Tools" className="divide-line divide-y">
          {tools.map((tool) => (
            <li key={tool.name} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2">
              <Link
                to={`/actions/${encodeURIComponent(tool.name)}`}
                className="font-mono text-xs font-medium break-all underline"
              >
                {tool.name}
              </Link>
              <Badge tone={tool.source === 'custom' ? 'accent' : 'neutral'}>{tool.endpoint_kind}</Badge>
              {tool.readiness !== 'ready' && <Badge tone="warn">needs setup</Badge>}
              <span className="text-muted min-w-0 flex-1 basis-64 break-words">{tool.title ?? tool.description}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
