import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, type Client, createSession, invokeBody, unique } from '../harness/index.js';

const callers = 6;
const everyMs = 40;

/** Unary calls of every kind, one after the other, never tried again; gives what was not answered well. */
export async function callUntil(
  api: Client,
  agent: Agent,
  isOver: () => boolean,
): Promise<{ calls: number; failures: string[] }> {
  const failures: string[] = [];
  let calls = 0;
  const session = await createSession(api, agent.id);
  const kinds: (() => Promise<{ status: number }>)[] = [
    () => api.send('GET', `/v1/agents/${agent.id}`),
    () => api.send('GET', `/v1/sessions/${session.id}`),
    () => api.send('GET', '/v1/interactions', { query: { limit: 1 } }),
    () => api.send('GET', '/v1/roles'),
    () => api.send('GET', '/v1/events', { query: { limit: 1 } }),
    () => api.send('PATCH', `/v1/sessions/${session.id}`, { body: { title: unique('t') } }),
    () => api.send('POST', '/v1/agents/invoke', { body: invokeBody(agent.id, 'hello') }),
  ];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let index = caller; !isOver(); index += 1) {
        const kind = index % kinds.length;
        calls += 1;
        try {
          const answer = await (kinds[kind] as () => Promise<{ status: number; text?: string }>)();
          if (answer.status >= 300) failures.push(`call ${kind}: ${answer.status} ${answer.text?.slice(0, 300) ?? ''}`);
        } catch (error) {
          failures.push(
            `call ${kind}: ${error instanceof Error ? `${error.message} ${String((error.cause as Error | undefined)?.message ?? '')}` : String(error)}`,
          );
        }
        await pause(everyMs);
      }
    }),
  );
  return { calls, failures };
}
