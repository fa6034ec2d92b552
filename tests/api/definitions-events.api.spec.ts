import { Client, type Page, createAgent, eventually, unique } from '../harness/index.js';

interface SourceEvent {
  event_type: string;
  source_kind: string;
  source_id: string;
  event: Record<string, unknown>;
  meta: Record<string, unknown>;
}

const api = Client.owner();

describe('source events of rows and memory', () => {
  it('E14: rows tell of every change that is one, batches in their order', async () => {
    const table = await api.post<{ id: string; name: string }>(
      '/v1/tables',
      {
        name: unique('t').replaceAll('-', '_'),
        schema: {
          identity_column: 'id',
          columns: [
            { name: 'id', type: 'string' },
            { name: 'n', type: 'number' },
          ],
        },
      },
      201,
    );
    const { items } = await api.post<{ items: { id: string }[] }>(
      `/v1/tables/${table.id}/bulk`,
      { rows: [{ id: 'c' }, { id: 'a' }, { id: 'b' }] },
      201,
    );
    const [first, second] = items.map(({ id }) => `/v1/tables/${table.id}/rows/${id}`);
    await api.patch(first ?? '', { data: { n: 1 } });
    await api.patch(first ?? '', { data: { n: 1 } });
    await api.patch(first ?? '', { data: { id: 'z' } });
    await api.delete(second ?? '');
    const told = await eventually('the row events', async () => {
      const page = await api.get<Page<SourceEvent>>('/v1/events', {
        event_type: 'table.row.*',
        limit: 100,
        order: 'desc',
      });
      const mine = page.items.filter(({ meta }) => meta.table_id === table.id);
      return mine.length >= 6 ? mine : null;
    });
    expect(told.map(({ event_type: type, event }) => [type, event.identity])).toEqual([
      ['table.row.inserted', 'c'],
      ['table.row.inserted', 'a'],
      ['table.row.inserted', 'b'],
      ['table.row.updated', 'c'],
      ['table.row.updated', 'z'],
      ['table.row.deleted', 'a'],
    ]);
    expect(told[3]).toMatchObject({
      source_kind: 'table_row',
      source_id: items[0]?.id,
      event: { changed_columns: ['n'], version: 2, previous_data: { id: 'c' } },
      meta: { table_name: table.name, row_id: items[0]?.id },
    });
    expect(new Set(told.map(({ meta }) => meta.id)).size).toBe(6);
  });

  it('E12: memory tells of changes without their content', async () => {
    const { id } = await createAgent(api);
    await api.put(`/v1/agents/${id}/memory/entries/k`, { content: 'very secret' }, 201);
    await api.delete(`/v1/agents/${id}/memory/entries/k`);
    const told = await eventually('the memory events', async () => {
      const page = await api.get<Page<SourceEvent>>('/v1/events', {
        event_type: 'memory.entry.*',
        limit: 100,
        order: 'desc',
      });
      const mine = page.items.filter(({ meta }) => meta.agent_id === id);
      return mine.length >= 2 ? mine : null;
    });
    expect(told.map(({ event_type: type }) => type)).toEqual(['memory.entry.created', 'memory.entry.deleted']);
    expect(JSON.stringify(told)).not.toContain('secret');
  });
});
