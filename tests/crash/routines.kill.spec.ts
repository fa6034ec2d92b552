import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  type Page,
  type Turn,
  allRows,
  createAgent,
  eventually,
  unique,
} from '../harness/index.js';

interface Occurrence {
  id: string;
  status: string;
  session_id?: string;
  turn_id?: string;
  scheduled_at: string;
  source_event_id?: string;
}

let service: OwnService;
let api: Client;
let agent: Agent;
const folder = mkdtempSync(join(tmpdir(), 'aos-routines-'));
const file = join(folder, 'name');

beforeAll(async () => {
  writeFileSync(file, '');
  service = await OwnService.start({ SVC_FAILPOINT: file });
  api = service.client;
  agent = await createAgent(api);
});

afterAll(async () => {
  await service.remove();
  rmSync(folder, { recursive: true });
});

/** The service dies at the failpoint in or after `work`, and is started anew. */
async function dyingAt(place: string, work: () => Promise<unknown>): Promise<void> {
  writeFileSync(file, place);
  await work().catch(() => null);
  await service.ended();
  writeFileSync(file, '');
  await service.run();
}

async function ended(routineId: string, count: number): Promise<Occurrence[]> {
  return eventually(`${count} ended runs`, async () => {
    const { items } = await api.get<Page<Occurrence>>('/v1/routines/occurrences', {
      routine_id: routineId,
      limit: 100,
    });
    return items.length >= count && items.every(({ status }) => status !== 'pending' && status !== 'admitted')
      ? items
      : null;
  });
}

async function expectOneTurnEach(found: Occurrence[]): Promise<void> {
  const begun = found.filter(({ status }) => status !== 'missed');
  expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 'completed'));
  const [sessionId] = new Set(begun.map(({ session_id: id }) => id));
  const { items } = await api.get<Page<Turn>>(`/v1/sessions/${String(sessionId)}/turns`, { limit: 100 });
  expect(items.map(({ id }) => id).sort()).toEqual(begun.map(({ turn_id: id }) => id).sort());
  const asked = (await allRows(api, String(sessionId))).filter(({ content }) =>
    content.some(({ text }) => text === 'Look at it.'),
  );
  expect(asked).toHaveLength(begun.length);
}

const places = [
  'before-append OccurrenceRecorded',
  'after-append OccurrenceRecorded',
  'before-append TurnQueued',
  'after-append TurnQueued',
  'before-append OccurrenceAdmitted',
  'after-append OccurrenceAdmitted',
  'after-append TurnCompleted',
  'before-append OccurrenceFinished',
  'after-append OccurrenceFinished',
];
/** Every third place in a run of everything; all of them with FAILPOINTS=all. */
const share = (all: string[]) =>
  process.env['FAILPOINTS'] === 'all' ? all : all.filter((_, index) => index % 3 === 1);
const base = { instructions: 'Look at it.', per_occurrence_ceiling_milli: 0, daily_ceiling_milli: 0 };

describe('kill -9 between an event or a due time and its turn', () => {
  it.each(share(places))('%s: an event runs a routine once', async (place) => {
    const table = await api.post<{ id: string }>(
      '/v1/tables',
      {
        name: unique('k').replaceAll('-', '_'),
        schema: { identity_column: 'id', columns: [{ name: 'id', type: 'string' }] },
      },
      201,
    );
    const { id } = await api.post<{ id: string }>(
      '/v1/routines',
      {
        ...base,
        agent_id: agent.id,
        event: { event_type: 'table.row.inserted', condition: `event.table_id == "${table.id}"` },
      },
      201,
    );
    await dyingAt(place, () => api.post(`/v1/tables/${table.id}/rows`, { data: { id: 'a' } }, 201));
    const [first, ...more] = await ended(id, 1);
    expect(more).toEqual([]);
    await api.post(`/v1/tables/${table.id}/rows`, { data: { id: 'b' } }, 201);
    const found = await ended(id, 2);
    expect(found.map((run) => run.source_event_id)).toContain(first?.source_event_id);
    expect(found).toHaveLength(2);
    await expectOneTurnEach(found);
  });

  it.each(share([...places.slice(0, 6), 'before-append RoutineFired', 'after-append RoutineFired']))(
    '%s: a due time runs a routine once',
    async (place) => {
      let id = '';
      await dyingAt(place, async () => {
        ({ id } = await api.post<{ id: string }>(
          '/v1/routines',
          { ...base, agent_id: agent.id, schedule: { at: new Date(Date.now() + 3_000).toISOString() } },
          201,
        ));
      });
      const found = await ended(id, 1);
      await eventually(
        'the routine to end',
        async () => (await api.get<{ status: string }>(`/v1/routines/${id}`)).status === 'completed',
      );
      expect(found).toHaveLength(1);
      await expectOneTurnEach(found);
    },
  );

  it('a run that was taken before the kill counts: a schedule runs no more often than it may', async () => {
    writeFileSync(file, 'before-append RoutineFired');
    const { id } = await api.post<{ id: string }>(
      '/v1/routines',
      { ...base, agent_id: agent.id, schedule: { interval: '1s', max_occurrences: 1 } },
      201,
    );
    await service.ended();
    const away = Date.now();
    await eventually('another due time to pass', () => Promise.resolve(Date.now() - away > 1500));
    writeFileSync(file, '');
    await service.run();
    await eventually(
      'the routine to end',
      async () => (await api.get<{ status: string }>(`/v1/routines/${id}`)).status === 'completed',
    );
    const found = await ended(id, 1);
    expect(found).toMatchObject([{ status: 'completed' }]);
    await expectOneTurnEach(found);
  });

  it('after a downtime the newest due time runs, and the others are missed', async () => {
    const { id } = await api.post<{ id: string }>(
      '/v1/routines',
      { ...base, agent_id: agent.id, schedule: { interval: '1s' } },
      201,
    );
    await ended(id, 1);
    await service.end('SIGKILL');
    const away = Date.now();
    await eventually('some due times to pass', () => Promise.resolve(Date.now() - away > 3500));
    await service.run();
    const found = await eventually('a run after missed times', async () => {
      const runs = await ended(id, 2);
      const missed = runs.filter(({ status }) => status === 'missed');
      return missed.length > 0 &&
        runs.some(
          ({ status, scheduled_at: at }) => status === 'completed' && missed.every((one) => one.scheduled_at < at),
        )
        ? runs
        : null;
    });
    await api.post(`/v1/routines/${id}/pause`);
    expect(new Set(found.map(({ scheduled_at }) => scheduled_at)).size).toBe(found.length);
  });
});
