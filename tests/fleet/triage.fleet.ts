import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ExampleCopy, type Started, Tarballs } from '../examples/example.js';
import { Client, eventually, type Page, type Session, type Turn, unique } from '../harness/index.js';
import { engine } from './fleet.js';

jest.setTimeout(360_000);

const api = Client.owner();
const ready = 'triage: waiting for tickets';
const tarballs = new Tarballs();
const running: ChildProcess[] = [];
let copy: ExampleCopy | null = null;

afterAll(async () => {
  for (const child of running) await ended(child);
  copy?.remove();
  tarballs.remove();
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Starts the example as a consumer group of its own, from the topic's beginning; gives what it printed so far. */
async function triage(of: ExampleCopy): Promise<Started> {
  const env = {
    SVC_URL: api.baseUrl,
    SVC_KEY: api.key ?? '',
    KAFKA_BROKERS: engine('kafka').url,
    KAFKA_GROUP: unique('triage'),
  };
  const started = await of.start('triage.mjs', env, ready);
  running.push(started.child);
  return started;
}

describe('the example event-triage', () => {
  it('starts its agent for each new ticket, and not again for events that come twice', async () => {
    copy = await ExampleCopy.installed('event-triage', tarballs);
    const first = await triage(copy);
    // It is waiting, so it has said which table: lists show a new one a moment later.
    const [, table] = /tickets in (\S+)/.exec(first.printed()) ?? [];
    const tickets = [
      { number: unique('t'), text: 'The invoice is wrong.', queue: 'billing' },
      { number: unique('t'), text: 'Where is my parcel?', queue: 'other' },
    ];
    for (const { number, text } of tickets) await api.post(`/v1/tables/${table}/rows`, { data: { number, text } });
    const saw = (printed: string, end: string) => tickets.every(({ number }) => printed.includes(`${number}: ${end}`));
    await eventually('both triaged', () => Promise.resolve(saw(first.printed(), 'completed')));
    const rows = await api.post<Page<{ data: object }>>(`/v1/tables/${table}/query`, { limit: 100 });
    expect(rows.items.map(({ data }) => data)).toEqual(expect.arrayContaining(tickets));
    await ended(first.child);

    const second = await triage(copy);
    await eventually('both seen again', () => Promise.resolve(saw(second.printed(), 'came before')));
    for (const { number } of tickets) {
      const sessions = await api.get<Page<Session>>('/v1/sessions', {
        session_key: `ticket-${number}`,
        agent_name: 'ticket-triage',
      });
      const [session] = sessions.items;
      expect((await api.get<Page<Turn>>(`/v1/sessions/${session?.id}/turns`)).items).toHaveLength(1);
    }
  });
});
