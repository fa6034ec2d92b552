import { Client, type Page, callerWith, person, unique } from '../harness/index.js';

interface Table {
  id: string;
  name: string;
  schema: { identity_column: string; columns: { name: string; type: string }[] };
  tags?: Record<string, string>;
}
interface Row {
  id: string;
  table_id: string;
  data: Record<string, unknown>;
  version: number;
  created_at: string;
  updated_at: string;
}
interface Bulk {
  inserted: number;
  items: Row[];
}
interface Upserted {
  row: Row;
  created: boolean;
}

const api = Client.owner();
const columns = [
  { name: 'email', type: 'string', required: true },
  { name: 'age', type: 'number', indexed: true },
  { name: 'name', type: 'string' },
  { name: 'born', type: 'date', indexed: true },
  { name: 'active', type: 'boolean', default: true },
  { name: 'extra', type: 'any' },
];

function tableName(): string {
  return unique('t').replaceAll('-', '_');
}

function createTable(schema: Record<string, unknown> = {}, fields: Record<string, unknown> = {}): Promise<Table> {
  return api.post<Table>(
    '/v1/tables',
    { name: tableName(), schema: { identity_column: 'email', columns, ...schema }, ...fields },
    201,
  );
}

const insert = (table: Table, data: Record<string, unknown>) =>
  api.post<Row>(`/v1/tables/${table.id}/rows`, { data }, 201);
const query = (table: Table, body: Record<string, unknown> = {}) =>
  api.post<Page<Row>>(`/v1/tables/${table.id}/query`, body, 200);
const emails = (page: Page<Row>) => page.items.map(({ data }) => data.email);
const bulk = (table: Table, rows: Record<string, unknown>[]) =>
  api.post<Bulk>(`/v1/tables/${table.id}/bulk`, { rows }, 201);

describe('tables', () => {
  it('are created, read, listed, changed and deleted; the name is free again', async () => {
    const made = await createTable({}, { description: 'd', instructions: 'i', tags: { team: 'a' } });
    expect(made.id).toMatch(/^tbl_[0-9a-z]{20,}$/);
    expect(await api.get<Table>(`/v1/tables/${made.id}`)).toEqual(made);
    expect((await api.get<Page<Table>>('/v1/tables', { name: made.name })).items).toEqual([made]);
    const changed = await api.patch<Table>(`/v1/tables/${made.id}`, { description: 'other', tags: {} });
    expect(changed).toMatchObject({ id: made.id, description: 'other', instructions: 'i', tags: {} });
    const details = await api.refused('already_exists', 'POST', '/v1/tables', {
      body: { name: made.name, schema: { identity_column: 'email', columns } },
    });
    expect(details.resource_id).toBe(made.id);
    await api.delete(`/v1/tables/${made.id}`);
    await api.refused('not_found', 'GET', `/v1/tables/${made.id}`);
    await api.refused('not_found', 'POST', `/v1/tables/${made.id}/query`, { body: {} });
    await api.post<Table>('/v1/tables', { name: made.name, schema: { identity_column: 'email', columns } }, 201);
  });

  it('R28: the identity column is a declared string', async () => {
    for (const identity of ['missing', 'age']) {
      await api.refused('bad_request', 'POST', '/v1/tables', {
        body: { name: tableName(), schema: { identity_column: identity, columns } },
      });
    }
    await api.refused('bad_request', 'POST', '/v1/tables', {
      body: { name: tableName(), schema: { identity_column: 'email', columns: [...columns, columns[1]] } },
    });
    await api.refused('bad_request', 'POST', '/v1/tables', {
      body: {
        name: tableName(),
        schema: {
          identity_column: 'email',
          columns: [
            { name: 'email', type: 'string' },
            { name: 'n', type: 'number', default: 'x' },
          ],
        },
      },
    });
  });

  it('B20: a schema evolves within its rules', async () => {
    const table = await createTable({ secondary_key_column: 'name' });
    const patch = (schema: Record<string, unknown>) => ({
      body: { schema: { identity_column: 'email', secondary_key_column: 'name', columns, ...schema } },
    });
    const path = `/v1/tables/${table.id}`;
    await api.refused('immutable_field', 'PATCH', path, patch({ identity_column: 'name' }));
    await api.refused('immutable_field', 'PATCH', path, patch({ secondary_key_column: 'email' }));
    await api.refused('immutable_field', 'PATCH', path, patch({ columns: columns.slice(0, 5) }));
    await api.refused(
      'immutable_field',
      'PATCH',
      path,
      patch({ columns: columns.map((column) => (column.name === 'age' ? { ...column, type: 'string' } : column)) }),
    );
    await api.refused(
      'immutable_field',
      'PATCH',
      path,
      patch({ columns: columns.map((column) => (column.name === 'age' ? { ...column, required: true } : column)) }),
    );
    await api.refused(
      'bad_request',
      'PATCH',
      path,
      patch({ columns: [...columns, { name: 'more', type: 'string', required: true }] }),
    );
    await insert(table, { email: 'a@x' });
    const grown = await api.patch<Table>(
      path,
      patch({ columns: [...columns, { name: 'more', type: 'string', default: 'm', indexed: true }] }).body,
    );
    expect(grown.schema.columns.map(({ name }) => name)).toContain('more');
    expect((await insert(table, { email: 'b@x' })).data.more).toBe('m');
    expect(emails(await query(table, { filter: { more: { $exists: false } } }))).toEqual(['a@x']);
  });

  it('G13: a private table answers others like one that does not exist; viewers cannot write', async () => {
    const ann = await person(api, 'Admin');
    const bob = await person(api, 'User');
    const table = await ann.client.post<Table>(
      '/v1/tables',
      { name: tableName(), schema: { identity_column: 'email', columns } },
      201,
    );
    await bob.client.refused('not_found', 'GET', `/v1/tables/${table.id}`);
    await bob.client.refused('not_found', 'POST', `/v1/tables/${table.id}/rows`, { body: { data: { email: 'x' } } });
    const shared = await createTable();
    const viewer = await callerWith(api, 'Viewer');
    await viewer.refused('permission_denied', 'POST', `/v1/tables/${shared.id}/rows`, {
      body: { data: { email: 'x' } },
    });
    expect((await viewer.post<Page<Row>>(`/v1/tables/${shared.id}/query`, {}, 200)).items).toEqual([]);
  });
});

describe('rows', () => {
  it('are inserted with defaults, read, merged by version, and deleted', async () => {
    const table = await createTable();
    const row = await insert(table, { email: 'a@x', age: 3 });
    expect(row).toMatchObject({ table_id: table.id, version: 1, data: { email: 'a@x', age: 3, active: true } });
    const path = `/v1/tables/${table.id}/rows/${row.id}`;
    expect(await api.get<Row>(path)).toEqual(row);
    const next = await api.patch<Row>(path, { data: { age: 4 }, version: 1 });
    expect(next).toMatchObject({ id: row.id, version: 2, data: { email: 'a@x', age: 4 } });
    expect(await api.patch<Row>(path, { data: { age: 4 } })).toEqual(next);
    expect(
      (await api.refused('version_conflict', 'PATCH', path, { body: { data: { age: 5 }, version: 1 } }))
        .current_version,
    ).toBe(2);
    expect((await api.patch<Row>(path, { data: { name: null }, version: 0 })).data.name).toBeNull();
    await api.delete(path);
    await api.refused('not_found', 'GET', path);
    await api.refused('not_found', 'DELETE', path);
    const again = await insert(table, { email: 'a@x' });
    expect(again.version).toBe(1);
    expect(again.id).not.toBe(row.id);
    await api.refused('not_found', 'GET', path);
  });

  it('are held to the columns of their table', async () => {
    const table = await createTable();
    const bad = [
      {},
      { email: 3 },
      { email: '' },
      { email: 'a', age: 'x' },
      { email: 'a', born: '2026-02-30' },
      { email: 'a', born: '2026-02-28T24:00:00Z' },
      { email: 'a', active: 1 },
      { email: 'a', other: 1 },
      { email: 'a\ud83d' },
    ];
    for (const data of bad) await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/rows`, { body: { data } });
    const open = await createTable({ open: true });
    expect((await insert(open, { email: 'a', other: { deep: [1] } })).data.other).toEqual({ deep: [1] });
    await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/rows`, {
      body: { data: { email: 'a', extra: 'x'.repeat(300_000) } },
    });
    expect((await insert(table, { email: 'big', extra: 'x'.repeat(200_000) })).data.extra).toHaveLength(200_000);
    expect((await query(table, { filter: { email: 'big' } })).items[0]?.data.extra).toHaveLength(200_000);
  });

  it('keep a value from before its column was declared, also when another column changes', async () => {
    const opened = await createTable({ open: true });
    const row = await insert(opened, { email: 'early', later: 'text' });
    const later = { name: 'later', type: 'number' };
    const schema = { identity_column: 'email', columns: [...columns, later], open: true };
    await api.patch(`/v1/tables/${opened.id}`, { schema });
    const path = `/v1/tables/${opened.id}/rows/${row.id}`;
    expect((await api.patch<Row>(path, { data: { age: 1 } })).data).toMatchObject({ later: 'text', age: 1 });
    const merged = await api.post<Upserted>(
      `/v1/tables/${opened.id}/upsert`,
      { data: { email: 'early', age: 2 } },
      200,
    );
    expect(merged.row.data).toMatchObject({ later: 'text', age: 2 });
    await api.refused('bad_request', 'PATCH', path, { body: { data: { later: 'other' } } });
    expect((await api.patch<Row>(path, { data: { later: 3 } })).data).toMatchObject({ later: 3, age: 2 });
  });

  it('R31: an identity is unique; a row may take another one that is free', async () => {
    const table = await createTable();
    const [a, b] = [await insert(table, { email: 'a' }), await insert(table, { email: 'b' })];
    expect(
      (await api.refused('already_exists', 'POST', `/v1/tables/${table.id}/rows`, { body: { data: { email: 'a' } } }))
        .row_id,
    ).toBe(a.id);
    expect(
      (
        await api.refused('already_exists', 'PATCH', `/v1/tables/${table.id}/rows/${b.id}`, {
          body: { data: { email: 'a' } },
        })
      ).row_id,
    ).toBe(a.id);
    const moved = await api.patch<Row>(`/v1/tables/${table.id}/rows/${a.id}`, { data: { email: 'c', age: 1 } });
    expect(moved).toMatchObject({ id: a.id, version: 2, data: { email: 'c', age: 1 } });
    expect(await api.get<Row>(`/v1/tables/${table.id}/rows/${a.id}`)).toEqual(moved);
    expect(emails(await query(table)).sort()).toEqual(['b', 'c']);
    const fresh = await insert(table, { email: 'a' });
    expect(fresh.id).not.toBe(a.id);
    const back = await api.patch<Row>(`/v1/tables/${table.id}/rows/${a.id}`, { data: { email: 'd' } });
    expect(back).toMatchObject({ id: a.id, version: 3 });
    await api.delete(`/v1/tables/${table.id}/rows/${a.id}`);
    expect(emails(await query(table)).sort()).toEqual(['a', 'b']);
  });

  it('R33: upsert inserts or merges', async () => {
    const table = await createTable();
    const first = await api.post<Upserted>(`/v1/tables/${table.id}/upsert`, { data: { email: 'a', age: 1 } }, 201);
    expect(first.created).toBe(true);
    const second = await api.post<Upserted>(`/v1/tables/${table.id}/upsert`, { data: { email: 'a', name: 'n' } }, 200);
    expect(second).toMatchObject({
      created: false,
      row: { id: first.row.id, version: 2, data: { age: 1, name: 'n' } },
    });
    expect(
      (await api.post<Upserted>(`/v1/tables/${table.id}/upsert`, { data: { email: 'a', name: 'n' } }, 200)).row.version,
    ).toBe(2);
    for (const [data, message] of [
      [{ name: 'n' }, 'is required'],
      [{ email: null }, 'is required'],
      [{ email: 4 }, 'is not a string'],
    ])
      expect(await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/upsert`, { body: { data } })).toEqual({
        issues: [{ path: '/data/email', message }],
      });
  });

  it('bulk inserts all rows or none, in the order of the request', async () => {
    const table = await createTable();
    const many = Array.from({ length: 300 }, (_, index) => ({ email: `u${index}`, age: index }));
    const done = await bulk(table, many);
    expect(done.inserted).toBe(300);
    expect(done.items.map(({ data }) => data.email)).toEqual(many.map(({ email }) => email));
    expect((await api.get<{ row_count: number }>(`/v1/tables/${table.id}/stats`)).row_count).toBe(300);
    await api.refused('already_exists', 'POST', `/v1/tables/${table.id}/bulk`, {
      body: { rows: [{ email: 'new' }, { email: 'u7' }] },
    });
    await api.refused('already_exists', 'POST', `/v1/tables/${table.id}/bulk`, {
      body: { rows: [{ email: 'p' }, { email: 'p' }] },
    });
    await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/bulk`, {
      body: { rows: [{ email: 'p' }, { email: 4 }] },
    });
    expect(emails(await query(table, { filter: { email: { $in: ['new', 'p'] } } }))).toEqual([]);
    expect((await bulk(table, [{ email: 'new' }, { email: 'p' }])).inserted).toBe(2);
    await api.patch<Row>(`/v1/tables/${table.id}/rows/${done.items[0]?.id ?? ''}`, { data: { age: -1 } });
    expect(emails(await query(table, { filter: { age: { $lt: 0 } } }))).toEqual(['u0']);
  });
});

describe('row queries', () => {
  let table: Table;
  beforeAll(async () => {
    table = await createTable();
    await bulk(table, [
      { email: 'a', age: 1, name: 'Ada Lovelace', born: '1815-12-10', active: false },
      { email: 'b', age: 2, name: 'Blaise Pascal', born: '1623-06-19T00:00:00Z' },
      { email: 'c', age: 3, name: 'Carl Gauss', extra: { tags: ['math', 'Ada'] } },
      { email: 'd', name: 'Dorothy', extra: 7 },
    ]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['equality', { age: 2 }, ['b']],
    ['$eq', { name: { $eq: 'Dorothy' } }, ['d']],
    ['$ne', { age: { $ne: 2 } }, ['a', 'c', 'd']],
    ['$gt', { age: { $gt: 1 } }, ['b', 'c']],
    ['$gte and $lte', { age: { $gte: 2, $lte: 2 } }, ['b']],
    ['$lt of dates', { born: { $lt: '1700-01-01' } }, ['b']],
    ['dates by instant', { born: '1623-06-19' }, ['b']],
    ['$in', { email: { $in: ['a', 'd', 'x'] } }, ['a', 'd']],
    ['$exists', { age: { $exists: false } }, ['d']],
    ['booleans', { active: false }, ['a']],
    ['objects', { extra: { tags: ['math', 'Ada'] } }, ['c']],
    ['null', { born: null }, ['c', 'd']],
    ['several', { age: { $gt: 0 }, active: true }, ['b', 'c']],
  ])('R30: filters by %s', async (_name, filter, expected) => {
    expect(emails(await query(table, { filter })).sort()).toEqual(expected);
  });

  it('rule R30: an object without operators is equality on columns that hold objects, and refused on others', async () => {
    for (const [column, wanted] of [
      ['age', { gt: 1 }],
      ['name', { eq: 'Ada' }],
      ['born', {}],
      ['active', { value: true }],
      ['created_at', { after: '2020-01-01' }],
    ] as const) {
      const details = await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/query`, {
        body: { filter: { [column]: wanted } },
      });
      expect(details).toMatchObject({
        issues: [{ path: `/filter/${column}`, message: expect.stringContaining('$gte') as string }],
      });
    }
    expect(emails(await query(table, { filter: { extra: { gt: 1 } } }))).toEqual([]);
  });

  it('rule R30: an undeclared name that every object has is a name like others', async () => {
    const open = await createTable({ open: true });
    await insert(open, { email: 'plain' });
    await insert(open, { email: 'named', valueOf: 1, hasOwnProperty: 'x' });
    for (const [name, value] of [
      ['valueOf', 1],
      ['hasOwnProperty', 'x'],
    ] as const) {
      for (const wanted of [value, { $gte: value }, { $in: [value] }, { $exists: true }])
        expect(emails(await query(open, { filter: { [name]: wanted } }))).toEqual(['named']);
      expect(emails(await query(open, { filter: { [name]: { $exists: false } } }))).toEqual(['plain']);
      expect(emails(await query(open, { sort: [{ field: name }] }))).toEqual(['named', 'plain']);
      await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/query`, { body: { filter: { [name]: value } } });
      await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/query`, { body: { sort: [{ field: name }] } });
    }
  });

  it('find rows by a column that they had before it was declared', async () => {
    const opened = await createTable({ open: true });
    await insert(opened, { email: 'early', later: 5 });
    const closed = { identity_column: 'email', columns };
    await api.patch(`/v1/tables/${opened.id}`, { schema: closed });
    const later = { name: 'later', type: 'number', indexed: true };
    await api.patch(`/v1/tables/${opened.id}`, { schema: { ...closed, columns: [...columns, later] } });
    await insert(opened, { email: 'late', later: 6 });
    expect(emails(await query(opened, { filter: { later: 5 } }))).toEqual(['early']);
    expect(emails(await query(opened, { filter: { later: { $gte: 5 } } }))).toEqual(['early', 'late']);
    expect(emails(await query(opened, { sort: [{ field: 'later' }] }))).toEqual(['early', 'late']);
  });

  it('refuses unknown operators, columns and ill-formed lists', async () => {
    for (const filter of [{ age: { $like: 1 } }, { nope: 1 }, { age: { $in: 3 } }, { age: { $exists: 1 } }]) {
      await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/query`, { body: { filter } });
    }
    await api.refused('bad_request', 'POST', `/v1/tables/${table.id}/query`, { body: { sort: [{ field: 'nope' }] } });
  });

  it.each<[string, Record<string, unknown>[], string[]]>([
    ['an indexed column, rows without a value last', [{ field: 'age', order: 'desc' }], ['c', 'b', 'a', 'd']],
    ['a column without index', [{ field: 'name', order: 'desc' }], ['d', 'c', 'b', 'a']],
    ['two columns', [{ field: 'active' }, { field: 'age', order: 'desc' }], ['a', 'c', 'b', 'd']],
    ['dates', [{ field: 'born' }], ['b', 'a', 'c', 'd']],
  ])('sorts by %s, page by page', async (_name, sort, expected) => {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<Row> = await query(table, { sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...emails(page));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const unsorted = (list: unknown[]) => [...list].sort();
    expect(unsorted(found)).toEqual(unsorted(expected));
    expect(found.slice(0, 2)).toEqual(expected.slice(0, 2));
  });

  it.each([
    ['an indexed column', ['email']],
    ['a column without index', ['name']],
    ['ten columns', ['name', ...Array.from({ length: 9 }, (_, index) => `t${index}`)]],
  ])('sorts by long texts of %s, page by page', async (_name, fields) => {
    const long = await createTable({ open: true });
    const names = ['c', 'a', 'b'].map((letter) => `${letter}${'\u0001'.repeat(300)}`);
    const texts = Object.fromEntries(fields.map((field) => [field, '\u0001'.repeat(300)]));
    for (const name of names) await insert(long, { ...texts, email: name, name });
    const sort = fields.map((field) => ({ field }));
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<Row> = await query(long, { sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...emails(page));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(found).toEqual([...names].sort());
  });

  it('G4: a cursor belongs to its query', async () => {
    const { next_cursor: cursor } = await query(table, { limit: 1 });
    await api.refused('invalid_cursor', 'POST', `/v1/tables/${table.id}/query`, {
      body: { limit: 1, cursor, filter: { age: 1 } },
    });
    await api.refused('invalid_cursor', 'POST', `/v1/tables/${table.id}/query`, { body: { cursor: 'x' } });
  });

  it('R34: searches by beginnings of words; other modes are not there', async () => {
    const search = async (body: Record<string, unknown>) =>
      emails(await api.post<Page<Row>>(`/v1/tables/${table.id}/search`, body, 200)).sort();
    expect(await search({ query: 'ada' })).toEqual(['a', 'c']);
    expect(await search({ query: 'LOVE ad' })).toEqual(['a']);
    expect(await search({ query: 'ada', filter: { age: 3 } })).toEqual(['c']);
    expect(await search({ query: 'velace' })).toEqual([]);
    for (const mode of ['semantic', 'hybrid'])
      await api.refused('service_unavailable', 'POST', `/v1/tables/${table.id}/search`, {
        body: { query: 'ada', mode },
      });
  });

  it('takes no body at all', async () => {
    expect((await api.post<Page<Row>>(`/v1/tables/${table.id}/query`, undefined, 200)).items).toHaveLength(4);
  });
});
