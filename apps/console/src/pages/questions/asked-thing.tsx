import type { ComponentType, ReactNode } from 'react';
import type { Schema } from '@aos/client';
import { webAddress, type Interaction } from '../../questions/words';
import { Card, Icon, JsonView } from '../../ui';

/** What is asked about: the text, the things that it refers to, and the context beside it. */
export function AskedThing({ of, thing = Named }: { of: Interaction; thing?: Thing }) {
  const references = [of.subject, ...(of.references ?? [])].filter((one) => one !== null && one !== undefined);
  const hasContext = of.context !== null && of.context !== undefined && Object.keys(of.context).length > 0;
  if (!of.description && references.length === 0 && !hasContext) return null;
  return (
    <Card title="What is asked">
      <div className="flex flex-col gap-3">
        {of.description && (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {of.description}
          </p>
        )}
        {references.length > 0 && (
          <ul aria-label="References" className="flex flex-col gap-1">
            {references.map((one, at) => (
              <li key={at} className="min-w-0 break-words">
                <Reference of={one} thing={thing} />
              </li>
            ))}
          </ul>
        )}
        {hasContext && <JsonView label="Context" value={of.context} />}
      </div>
    </Card>
  );
}

/** Shows what a reference names; the console makes a link of it. */
type Thing = ComponentType<{ type: string | undefined; id: string | undefined; children: ReactNode }>;

function Named({ children }: { children: ReactNode }) {
  return children;
}

function Reference({
  of: { kind, url, label, entity_type: type, entity_id: id },
  thing: Thing,
}: {
  of: Schema<'InteractionReference'>;
  thing: Thing;
}) {
  const address = webAddress(url);
  if (kind === 'external_url' && address !== null)
    return (
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer"
        className="text-accent inline-flex max-w-full items-center gap-1.5 hover:underline"
      >
        <Icon name="external" />
        <bdi className="min-w-0 break-all">{label ?? address}</bdi>
      </a>
    );
  return (
    <Thing type={type} id={id}>
      <bdi className="break-all">{label ?? [type, id ?? url].filter(Boolean).join(' ')}</bdi>
    </Thing>
  );
}
