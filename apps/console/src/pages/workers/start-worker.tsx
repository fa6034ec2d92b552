import { CodeTabs, Dialog } from '../../ui';

const typescript = (origin: string): string => `import { AgentService } from 'agent-service-client';

const svc = new AgentService({ baseUrl: '${origin}', key: process.env.SVC_KEY });

// An action of the same name has the endpoint kind "worker".
const worker = svc.worker({
  name: 'shipping',
  actions: {
    'parcel.look-up': async ({ number }) => ({ number, state: 'on its way' }),
  },
});

process.once('SIGTERM', () => void worker.drain()); // ends the jobs under way
await worker.done;`;

const python = (origin: string): string => `import os
import signal

from agent_service import AgentService

# An action of the same name has the endpoint kind "worker".
def look_up_parcel(given, context):
    return {"number": given["number"], "state": "on its way"}

with AgentService("${origin}", os.environ["SVC_KEY"]) as svc:
    worker = svc.worker({"parcel.look-up": look_up_parcel}, name="shipping")
    signal.signal(signal.SIGTERM, lambda signum, frame: worker.drain())  # ends the jobs under way
    worker.run()`;

/** How a worker is written and started. */
export function StartWorker({ onClose }: { onClose: () => void }) {
  const texts = [
    { name: 'TypeScript', text: typescript(location.origin), label: 'A worker in TypeScript' },
    { name: 'Python', text: python(location.origin), label: 'A worker in Python' },
  ];
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Start a worker"
      description="It needs a key with svc.job.execute: that of a principal of the kind worker with the role Worker, made under Access."
    >
      <CodeTabs texts={texts} className="max-h-[50dvh] break-words" />
    </Dialog>
  );
}
