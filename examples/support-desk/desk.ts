// A customer's conversation: the agent asks a person, waits for the answer, and refunds through the worker.
import { readFileSync } from 'node:fs';
import { AgentService, is, type RequestBody } from 'agent-service-client';
import { parse } from 'yaml';

const baseUrl = process.env.SVC_URL ?? 'http://127.0.0.1:8080';
const svc = new AgentService({ baseUrl, key: process.env.SVC_KEY });

/** What svc-scripted-1 does, step by step. A real model is given the customer's own words instead. */
const script = (...steps: object[]) => JSON.stringify({ script: steps });
const call = (name: string, input: object) => ({ call: { name, input } });

const blueprint = readFileSync(new URL('blueprint.yaml', import.meta.url), 'utf8');
const { changes } = await svc.blueprints.apply(parse(blueprint) as RequestBody<'applyBlueprint'>);
const table = changes.find(({ key }) => key === 'orders')?.resource_id ?? '';
await svc.tables.upsertRow(table, { data: { number: 'o-1007', customer: 'Ada', status: 'returned', amount: 131 } });

// A person who may answer, with a key of her own; it ends in an hour. A second run finds her.
const known = (await svc.principals.list({ kind: 'human' }).all()).find(({ name }) => name === 'Grace');
const grace = known ?? (await svc.principals.create({ name: 'Grace', kind: 'human' }));
await svc.roleAssignments.create({ principal_id: grace.id, role_name: 'User' }).catch((error: unknown) => {
  if (!is.alreadyExists(error)) throw error;
});
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const { key } = await svc.apiKeys.create({
  name: `Grace's key until ${inAnHour}`,
  principal_id: grace.id,
  expires_at: inAnHour,
});
const gracesDesk = new AgentService({ baseUrl, key });

const session = `order-1007-${Date.now()}`;
const ask = svc.invoke(
  'support-desk',
  script(
    call('svc_table_query_rows', { table, filter: { number: 'o-1007' } }),
    call('svc_interaction_open', {
      kind: 'request_approval',
      title: 'Refund 131 for o-1007?',
      target_user_ids: [grace.id],
    }),
    { say: 'A refund needs a colleague. I have asked one.' },
  ),
  { session },
);
console.log(`agent: ${await said(ask)}`);

const [question] = await gracesDesk.interactions.list({ inbox: true }).all();
if (!question) throw new Error('no question came to Grace');
console.log(`Grace sees: ${question.title}`);

const refund = svc.invoke(
  'support-desk',
  script(
    call('svc_event_wait', { interaction_id: question.id }),
    call('support_refund', { order: 'o-1007', amount: 131, approval: question.id }),
    call('svc_table_save_row', { table, data: { number: 'o-1007', status: 'refunded' } }),
    { say: 'The money is on its way.' },
  ),
  { session },
);
const { session_id: sessionId, turn_id: turnId } = await refund.started;
for await (const { data } of svc.sessions.follow(sessionId))
  if (data.event_type === 'turn.upsert' && data.id === turnId && data.status === 'waiting') break;
console.log('the turn is waiting, and holds nothing');

await gracesDesk.interactions.respond(question.id, { value: 'approved', comment: 'It came back damaged.' });
console.log('Grace: approved');
console.log(`agent: ${await said(refund)}`);

const [order] = await svc.tables.queryRows(table).all();
console.log(`order: ${JSON.stringify(order?.data)}`);

async function said(run: ReturnType<AgentService['invoke']>): Promise<string> {
  let text = '';
  for await (const piece of run.text()) text += piece;
  const { status, error_message: message = '' } = await run.done();
  if (status !== 'completed') throw new Error(`the turn ended as ${status}: ${message}`);
  return text;
}
