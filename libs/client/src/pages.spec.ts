import { AgentService } from './agent-service.js';

/** A client of a service that gives these pages, and the queries or bodies it was asked with. */
function client(pages: object[]): { svc: AgentService; asked: string[] } {
  const asked: string[] = [];
  const svc = new AgentService({
    baseUrl: 'http://service',
    fetch: async (url, { body }) => {
      asked.push(new URL(url).search + String(body ?? ''));
      return Response.json(pages[asked.length - 1] ?? {});
    },
  });
  return { svc, asked };
}

const rows = async (list: AsyncIterable<object>) => {
  const found: object[] = [];
  for await (const row of list) found.push(row);
  return found;
};

describe('a list', () => {
  it('gives the rows of all pages by cursor, in order', async () => {
    const { svc, asked } = client([
      { items: [{ id: 'a' }, { id: 'b' }], has_more: true, next_cursor: 'c1' },
      { items: [{ id: 'c' }], has_more: false, next_cursor: 'c2' },
    ]);
    await expect(rows(svc.agents.list({ status: 'active', limit: 2 }))).resolves.toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
    ]);
    expect(asked).toEqual(['?status=active&limit=2', '?status=active&limit=2&cursor=c1']);
  });

  it('asks for nothing before it is read, and gives one page as it is', async () => {
    const page = { items: [{ id: 'a' }], has_more: true, next_cursor: 'c1' };
    const { svc, asked } = client([page]);
    const list = svc.agents.list();
    expect(asked).toEqual([]);
    await expect(list.page()).resolves.toEqual(page);
    expect(asked).toEqual(['']);
  });

  it('of messages goes by sequence, and back from the newest end', async () => {
    const { svc, asked } = client([
      { items: [{ sequence: 1 }, { sequence: 2 }], has_more: true, next_sequence: 2 },
      { items: [{ sequence: 3 }], has_more: false },
      { items: [{ sequence: 3 }], has_more: true, prev_sequence: 3 },
      { items: [{ sequence: 1 }, { sequence: 2 }], has_more: false },
    ]);
    await rows(svc.sessions.listMessages('ses_1'));
    await rows(svc.sessions.listMessages('ses_1', { order: 'desc' }));
    expect(asked).toEqual(['', '?after_sequence=2', '?order=desc', '?order=desc&before_sequence=3']);
  });

  it('that is asked for by a body goes on by its body', async () => {
    const { svc, asked } = client([
      { items: [{ id: 'row_1' }], has_more: true, next_cursor: 'c1' },
      { items: [], has_more: false },
    ]);
    await rows(svc.tables.queryRows('tbl_1', { limit: 1 }));
    expect(asked).toEqual(['{"limit":1}', '{"limit":1,"cursor":"c1"}']);
  });

  it('is whole where it has no pages', async () => {
    const { svc } = client([{ items: [{ prefix: 'email' }], reserved_prefixes: [] }]);
    await expect(svc.catalog.listEvents().all()).resolves.toEqual([{ prefix: 'email' }]);
  });

  it('is refused as an array when it is longer than allowed, and when a page leads nowhere', async () => {
    const endless = { items: [{ id: 'a' }], has_more: true, next_cursor: 'same' };
    const { svc } = client([endless, endless, endless]);
    await expect(svc.agents.list().all(1)).rejects.toThrow(RangeError);
    const { svc: other } = client([endless, endless, endless]);
    await expect(other.agents.list().all()).rejects.toThrow('leads nowhere');
  });
});
