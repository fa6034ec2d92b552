import type { Schema } from '@aos/client';
import { PrincipalName } from '../../names/name';
import { ThingLink } from '../../names/thing-link';
import { CopyButton, Facts, Id, Time } from '../../ui';
import { principalKinds } from '../../names/principal-kinds';

export type AuditEntry = Schema<'AuditEntry'>;

/** One entry whole. */
export function AuditEntryFacts({ of }: { of: AuditEntry }) {
  const { actor, resource } = of;
  return (
    <>
      <Facts
        facts={[
          [
            'Change',
            <code key="action" className="font-mono text-xs">
              {of.action}
            </code>,
          ],
          ['When', <Time key="at" at={of.occurred_at} form="whole" />],
          ['By', <PrincipalName key="by" id={actor.principal_id} />],
          ['Kind', principalKinds[actor.principal_kind] ?? actor.principal_kind],
          actor.api_key_id ? ['Key', <Id key="key" value={actor.api_key_id} short />] : null,
          actor.ip ? ['Address', actor.ip] : null,
          ['Of', resource.type.replace(/_/g, ' ')],
          [
            'Name',
            <ThingLink key="name" type={resource.type} id={resource.id}>
              <bdi className="break-all">{resource.name ?? resource.id}</bdi>
            </ThingLink>,
          ],
          ['Its id', <Id key="resource" value={resource.id} short />],
          of.changed_fields?.length ? ['Changed', of.changed_fields.join(', ')] : null,
          of.request_id ? ['Request', <Id key="request" value={of.request_id} short />] : null,
          of.before_hash ? ['Hash before', <Id key="before" value={of.before_hash} short />] : null,
          of.after_hash ? ['Hash after', <Id key="after" value={of.after_hash} short />] : null,
          ['Entry', <Id key="id" value={of.id} short />],
        ]}
      />
      <div className="flex justify-end">
        <CopyButton text={JSON.stringify(of, null, 2)} label="Copy as JSON" />
      </div>
    </>
  );
}
