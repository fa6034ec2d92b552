// Consumes the organization's events from Kafka, and starts a triage agent for each new ticket, once per event.
import { AgentService } from 'agent-service-client';
import { Kafka, logLevel } from 'kafkajs';

const {
  SVC_URL: baseUrl = 'http://127.0.0.1:8080',
  SVC_KEY: key,
  KAFKA_BROKERS: brokers = '127.0.0.1:9092',
} = process.env;
const { KAFKA_GROUP: groupId = 'ticket-triage', KAFKA_TOPIC: topic = 'svc.source-events.v1' } = process.env;
const svc = new AgentService({ baseUrl, key });

const { changes } = await svc.blueprints.apply({
  namespace: 'examples',
  blueprint_key: 'event-triage',
  resources: {
    tables: [
      {
        key: 'tickets',
        name: 'triage_tickets',
        schema: {
          identity_column: 'number',
          columns: [
            { name: 'number', type: 'string', required: true },
            { name: 'text', type: 'string' },
            { name: 'queue', type: 'string' },
          ],
        },
      },
    ],
    agents: [
      {
        key: 'triage',
        name: 'ticket-triage',
        model: 'svc-scripted-1',
        system_prompt:
          'You sort tickets: billing, delivery or other. Write the queue into the ticket with svc_table_save_row.',
        action_selectors: [{ selector_type: 'exact', selector: 'svc.table.save_row' }],
      },
    ],
  },
});
const table = changes.find(({ key: of }) => of === 'tickets').resource_id;
const { organization } = await svc.me.get();

/** What svc-scripted-1 does. A real model is given words: `Sort ticket ${number}: ${text}`. */
const scriptFor = ({ number, text }) => {
  const queue = /invoice|refund/i.test(text) ? 'billing' : 'other';
  const save = { name: 'svc_table_save_row', input: { table, data: { number, queue } } };
  return JSON.stringify({ script: [{ call: save }, { say: `Ticket ${number} goes to ${queue}.` }] });
};

const consumer = new Kafka({ clientId: groupId, brokers: brokers.split(','), logLevel: logLevel.ERROR }).consumer({
  groupId,
});
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    // The topic has the events of all organizations, each at least once.
    if (message.headers.ce_orgid.toString() !== organization.id) return;
    const { event_type: type, event } = JSON.parse(message.value.toString());
    if (type !== 'table.row.inserted' || event.table_id !== table) return;
    // The event's id is the retry key: what comes twice starts one turn. The offset is committed when the turn is over.
    const id = message.headers.ce_id.toString();
    const run = svc.invoke('ticket-triage', scriptFor(event.data), { session: `ticket-${event.data.number}`, key: id });
    const { deduped } = await run.started;
    const { status } = await run.done();
    console.log(`ticket ${event.data.number}: ${deduped ? 'came before' : status}`);
  },
});
console.log(`triage: waiting for tickets in ${table}`);

process.once('SIGTERM', () => void consumer.disconnect());
