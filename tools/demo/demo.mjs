// Fills a service with a small support desk, so that lists, streams and questions have something to show: `npm run demo`.
// Takes SVC_URL (http://127.0.0.1:8080 when left out) and SVC_KEY. A second run adds nothing that is there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { AgentService, ApiError } from '../../libs/client/dist/index.js';

const customers = ['Ada', 'Grace', 'Edsger', 'Barbara', 'Alan', 'Radia'];
const states = ['packed', 'sent', 'delivered', 'returned'];
const orderCount = 24;
const waitMs = 120_000;

const script = (...steps) => JSON.stringify({ script: steps });
const call = (name, input) => ({ call: { name, input } });
const text = (said) => [{ type: 'text', text: said }];

const order = (index) => ({
  number: `o-${1000 + index}`,
  customer: customers[index % customers.length],
  status: states[index % states.length],
  amount: 20 + ((index * 37) % 190),
});

/** The sessions, by key: what happens in each, and the state that it is left in. */
function sessions(table, person) {
  const lookUp = call('svc_table_query_rows', { table, filter: { number: 'o-1003' } });
  const ask = call('svc_interaction_open', {
    kind: 'request_approval',
    title: 'Refund 131 to Grace?',
    description: 'Order o-1007 came back damaged.',
    target_user_ids: [person],
  });
  return [
    {
      key: 'order-status',
      title: 'Where is o-1003?',
      input: script({ think: 'The order has to be looked up first.' }, lookUp, {
        say: 'Order o-1003 came back to us yesterday. The money is on its way.',
      }),
      until: 'completed',
    },
    {
      key: 'refund',
      title: 'Refund of o-1007',
      input: script({ say: 'A refund of that size needs a colleague. I have asked one.' }, ask, {
        say: 'I will write again as soon as it is decided.',
      }),
      until: 'completed',
    },
    { key: 'long-answer', title: 'An answer as it is written', input: 'tokens=1800 every=500', until: 'running' },
    {
      key: 'broken',
      title: 'A model that fails',
      input: script({ error: { type: 'model_error', message: 'the provider answered 500' } }),
      until: 'failed',
    },
    {
      key: 'changed-mind',
      title: 'Cancelled by its caller',
      input: script({ say: 'One moment.' }, { wait_ms: 600_000 }),
      until: 'running',
      cancel: true,
    },
  ];
}

async function main() {
  const { SVC_URL: baseUrl = 'http://127.0.0.1:8080', SVC_KEY: key = process.env.KEY } = process.env;
  if (!key) throw new Error('SVC_KEY is not set: npm start prints a key at its first start; export SVC_KEY=<that key>');
  const svc = new AgentService({ baseUrl, key });

  const blueprint = parse(readFileSync(join(import.meta.dirname, 'support-desk.yaml'), 'utf8'));
  const { changes } = await svc.blueprints.apply(blueprint);
  const done = changes.filter(({ action }) => action !== 'unchanged').length;
  say('blueprint', `support-desk: ${done} of ${changes.length} resources written`);
  const table = changes.find(({ key: of }) => of === 'orders').resource_id;
  const agent = changes.find(({ key: of }) => of === 'support').resource_id;
  const reporter = changes.find(({ key: of }) => of === 'reporter').resource_id;

  for (let index = 0; index < orderCount; index += 1) await svc.tables.upsertRow(table, { data: order(index) });
  say('rows', `demo_orders: ${orderCount} orders`);

  const person = await personNamed(svc, 'Grace (demo)');
  for (const each of sessions(table, person)) say('session', await played(svc, agent, each));
  say('routine', await morningReport(svc, reporter));
  console.log(`
Look around:
${place(`${baseUrl}/console`)}the console; log in with the same key
${place(`${baseUrl}/docs`)}the API, to try out
${place('npm run --silent svc -- sessions list')}the sessions
${place('npm run --silent svc -- chat support')}talk to the agent
${place('npm run --silent svc -- interactions list')}the question that waits for a person`);
}

function place(where) {
  return `  ${where.padEnd(44)} `;
}

function say(what, message) {
  console.log(`${what.padEnd(10)} ${message}`);
}

async function personNamed(svc, name) {
  for await (const principal of svc.principals.list({ kind: 'human' }))
    if (principal.name === name) return principal.id;
  return (await svc.principals.create({ name, kind: 'human' })).id;
}

/** Plays what belongs into a session that has no turn yet; gives a line about it. */
async function played(svc, agent, { key, title, input, until, cancel = false }) {
  const session = await svc.sessions.create({ agent_id: agent, session_key: `demo-${key}`, title });
  if (session.message_count > 0) return `${title}: is there`;
  const run = svc.invoke({ id: agent }, text(input), { session: { session_key: `demo-${key}` }, key: `demo-${key}` });
  const { session_id: sessionId, turn_id: turnId } = await run.started;
  let turn = await reached(svc, sessionId, turnId, until);
  if (cancel) turn = await svc.turns.cancel(sessionId, turnId);
  return `${title}: ${turn.status}`;
}

async function reached(svc, sessionId, turnId, status) {
  const began = Date.now();
  for (;;) {
    const turn = await svc.sessions.getTurn(sessionId, turnId);
    if (turn.status === status) return turn;
    if (Date.now() - began > waitMs)
      throw new Error(`turn ${turnId} is ${turn.status}, not ${status}, after ${waitMs / 1000} s`);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

async function morningReport(svc, agent) {
  const name = 'morning report (demo)';
  for await (const routine of svc.routines.list()) if (routine.name === name) return `${name}: is there`;
  await svc.routines.create({
    name,
    agent_id: agent,
    instructions: 'Sum up the orders of yesterday.',
    schedule: { cron: '0 7 * * *', timezone: 'Europe/Berlin' },
    per_occurrence_ceiling_milli: 1_000,
    daily_ceiling_milli: 5_000,
  });
  return `${name}: each day at seven`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const hint = error instanceof ApiError && error.status === 401 ? ': SVC_KEY is not a key of this service' : '';
  console.error(`${error.message}${hint}`);
  process.exitCode = 1;
}
