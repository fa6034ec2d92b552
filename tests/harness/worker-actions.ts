import { Client } from './client.js';
import { allRows, createAgent, invoke, script, unique } from './service.js';
import type { Agent, TurnAck } from './wire.js';
import type { Job, TestWorker } from './worker.js';

export interface WorkerAction {
  agent: Agent;
  name: string;
}
export interface WorkerRoute {
  agent: Agent;
  route: { provider: string; model: string };
}

/** A worker action, and an agent that is granted it. */
export async function workerAction(fields: object = {}): Promise<WorkerAction> {
  const api = Client.owner();
  const name = unique('work');
  await api.post('/v1/actions', { name, endpoint_kind: 'worker', ...fields }, 201);
  return { name, agent: await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: name }] }) };
}

export function calling({ agent, name }: WorkerAction, input: object = {}): Promise<TurnAck> {
  return invoke(Client.owner(), agent.id, script({ call: { name, input } }, { read: 'last_tool_result' }));
}

export async function results(ack: TurnAck) {
  const rows = await allRows(Client.owner(), ack.session_id);
  return rows.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
}

export const forAction = ({ name }: WorkerAction) => ({ action_names: [name] });

/** An agent whose model calls go to workers that offer this model. */
export async function routed(): Promise<WorkerRoute> {
  const route = { provider: unique('prov'), model: unique('model') };
  const fields = { model_route: { mode: 'worker', ...route }, system_prompt: 'Be brief.' };
  return { route, agent: await createAgent(Client.owner(), fields) };
}

export function delta(worker: TestWorker, job: Job, sequence: number, piece: object) {
  return worker.ask(
    { type: 'generation.delta', job_id: job.id, lease_token: job.lease_token, sequence, delta: piece },
    'generation.delta.ack',
  );
}
