import { PrincipalName } from '../../names/name';
import { Dialog, Facts, Id, Status, Time } from '../../ui';
import { jobsText, type Worker } from './worker';

/** One worker whole. */
export function AboutWorker({ of, onClose }: { of: Worker; onClose: () => void }) {
  const { name, version, worker_instance_id: instance, action_names: actions, models } = of;
  return (
    <Dialog open onClose={onClose} title={name ?? 'Worker'}>
      <Facts
        facts={[
          ['Status', <Status key="status" value={of.draining ? 'draining' : 'connected'} />],
          ['Jobs', jobsText(of)],
          ['Connected', <Time key="at" at={of.connected_at} form="whole" />],
          ['Acts as', <PrincipalName key="principal" id={of.principal_id} />],
          version === null ? null : ['Version', version],
          ['Instance', <Id key="instance" value={instance} short />],
          ['Actions', <Names key="actions" names={actions ?? ['every action']} />],
          models.length > 0
            ? ['Models', <Names key="models" names={models.map(({ provider, model }) => `${provider} / ${model}`)} />]
            : null,
        ]}
      />
    </Dialog>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className="max-h-60 overflow-y-auto" tabIndex={names.length > 10 ? 0 : undefined}>
      {names.map((name) => (
        <li key={name} className="font-mono text-xs break-all">
          {name}
        </li>
      ))}
    </ul>
  );
}
