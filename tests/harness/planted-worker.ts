import type { Client } from './client.js';
import { createAgent, invoke, settled, unique } from './service.js';
import { type Job, TestWorker } from './worker.js';

/**
 * A turn whose model is a worker, which calls `action` and gives what that answered to an action of its own, as input
 * and again as output. Gives all that the worker received, and the text of the answer.
 */
export async function workedTurn(
  api: Client,
  { name, provider }: { name: string; provider?: string },
  marker: string,
): Promise<{ received: string; answer: string }> {
  const own = `${marker}-${unique('work')}`;
  await api.post('/v1/actions', { name: own, endpoint_kind: 'worker' }, 201);
  const route = { provider: unique('prov'), model: unique('model') };
  const agent = await createAgent(api, {
    name: `${marker}-${unique('agent')}`,
    model_route: { mode: 'worker', ...route },
    action_selectors: [name, own].map((selector) => ({ selector_type: 'exact', selector })),
    ...(provider !== undefined && { integration_access: [{ provider }] }),
  });
  const worker = await TestWorker.register(api, { models: [route], action_names: [own] });
  try {
    const ack = await invoke(api, agent.id, 'Call both.');
    const calls = (id: string, called: string, input: object) => ({
      result: { content: [{ type: 'tool_use', id, name: called, input }] },
    });
    await worker.report(await worker.claim(), calls('c1', name, {}));
    const second = await worker.claim();
    await worker.report(second, calls('c2', own, { heard: lastHeard(second) }));
    const work = await worker.claim();
    await worker.report(work, { result: { heard: work.spec['parameters'] } });
    const last = await worker.claim();
    const answer = lastHeard(last);
    await worker.report(last, { result: { content: answer } });
    await settled(api, ack);
    return { received: worker.received.join('\n'), answer };
  } finally {
    worker.kill();
  }
}

const lastHeard = ({ spec }: Job): string => JSON.stringify((spec['messages'] as unknown[]).at(-1));
