// Sets up a report of each morning, runs it once now, and reads it.
import { AgentService } from 'agent-service-client';

const svc = new AgentService({ baseUrl: process.env.SVC_URL ?? 'http://127.0.0.1:8080', key: process.env.SVC_KEY });

// The report's form is a table: what does not fit its columns is refused, and the agent reads why. A second run of this
// program finds what is there.
const { changes } = await svc.blueprints.apply({
  namespace: 'examples',
  blueprint_key: 'scheduled-report',
  resources: {
    tables: [
      {
        key: 'reports',
        name: 'morning_reports',
        schema: {
          identity_column: 'day',
          columns: [
            { name: 'day', type: 'string', required: true },
            { name: 'orders', type: 'number', required: true },
            { name: 'revenue', type: 'number', required: true },
            { name: 'remark', type: 'string' },
          ],
        },
      },
    ],
    agents: [
      {
        key: 'reporter',
        name: 'morning-reporter',
        model: 'svc-scripted-1',
        system_prompt: 'You sum up the orders of a day, and write the report as one row with svc_table_save_row.',
        action_selectors: [{ selector_type: 'exact', selector: 'svc.table.save_row' }],
      },
    ],
  },
});
const idOf = (wanted: string) => changes.find(({ key }) => key === wanted)?.resource_id ?? '';

// What svc-scripted-1 does. A real model is given words: "Write the report of yesterday into the table morning_reports."
const row = { day: '2026-11-23', orders: 24, revenue: 2712, remark: 'Two orders came back.' };
const instructions = JSON.stringify({
  script: [
    { call: { name: 'svc_table_save_row', input: { table: 'morning_reports', data: row } } },
    { say: 'The report is written.' },
  ],
});

const name = 'Morning report';
const known = (await svc.routines.list().all()).find((routine) => routine.name === name);
const routine =
  known ??
  (await svc.routines.create({
    name,
    agent_id: idOf('reporter'),
    instructions,
    schedule: { cron: '0 7 * * *', timezone: 'Europe/Berlin' },
    per_occurrence_ceiling_milli: 1_000,
    daily_ceiling_milli: 5_000,
  }));
console.log(`${routine.name}: ${routine.status}, next at ${routine.next_fire_at}`);

const run = await svc.routines.runNow(routine.id);
const { status, session_id: sessionId = '' } = await ended(run.id);
console.log(`this run: ${status}`);

for await (const { data } of svc.sessions.follow(sessionId))
  if (data.event_type === 'message.upsert' && data.role === 'assistant')
    for (const block of data.content) if (block.type === 'text') console.log(`agent: ${block.text}`);

const [report] = await svc.tables.queryRows(idOf('reports'), { filter: { day: row.day } }).all();
console.log(`report: ${JSON.stringify(report?.data)}`);

/** The run as it ended. Looks each quarter of a second, for a minute. */
async function ended(id: string) {
  for (let looks = 0; looks < 240; looks += 1) {
    for await (const run of svc.routines.listOccurrences({ routine_id: routine.id }))
      if (run.id === id && run.status !== 'pending' && run.status !== 'admitted') return run;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('the run did not end within a minute');
}
