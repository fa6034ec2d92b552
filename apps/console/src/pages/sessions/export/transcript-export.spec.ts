import { AgentService } from '@aos/client';
import { exportName, exportTranscript } from './transcript-export';

const session = {
  id: 'ses_1',
  title: 'Where is <b>o-7</b>?',
  session_key: 'k',
  agent_id: 'agent_1',
  created_at: 'then',
};
const row = (sequence: number) => ({ sequence, role: 'user', content: [{ type: 'text', text: `row ${sequence}` }] });

/** A service with three rows, two on a page. */
function service() {
  const asked: string[] = [];
  const fetch = (address: string) => {
    const { pathname, searchParams } = new URL(address);
    asked.push(`${pathname} ${searchParams.get('include')} ${searchParams.get('after_sequence')}`);
    if (pathname.endsWith('/messages'))
      return Promise.resolve(
        Response.json(
          searchParams.get('after_sequence') === '2'
            ? { items: [row(3)], has_more: false }
            : { items: [row(1), row(2)], has_more: true, next_sequence: 2 },
        ),
      );
    if (pathname.endsWith('/ses_1')) return Promise.resolve(Response.json(session));
    return Promise.resolve(Response.json({ items: [{ id: pathname }], has_more: false }));
  };
  return { svc: new AgentService({ baseUrl: 'http://service', fetch }), asked };
}

describe('the export of a transcript', () => {
  it('is JSON with all rows, turns and questions', async () => {
    const { svc, asked } = service();
    const counts: number[] = [];
    const file = await exportTranscript(svc, 'ses_1', 'json', { progress: (rows) => counts.push(rows) });
    expect(JSON.parse(await file.text())).toEqual({
      session,
      turns: [{ id: '/v1/sessions/ses_1/turns' }],
      interactions: [{ id: '/v1/interactions' }],
      messages: [row(1), row(2), row(3)],
    });
    expect(counts).toEqual([2, 3]);
    expect(asked).toContain('/v1/sessions/ses_1/messages context 2');
  });

  it('is Markdown in the order of the rows', async () => {
    const text = await (await exportTranscript(service().svc, 'ses_1', 'markdown')).text();
    expect(text.startsWith('# Where is <b>o-7</b>?\n')).toBe(true);
    expect([...text.matchAll(/^row (\d)$/gm)].map(([, number]) => number)).toEqual(['1', '2', '3']);
  });

  it('has a name that each system takes', () => {
    expect(exportName(session as never, 'json')).toBe('Where-is-b-o-7-b-ses_1.json');
    expect(exportName({ ...session, title: '../..' } as never, 'markdown')).toBe('ses_1.md');
    expect(exportName({ ...session, title: 'שלום' } as never, 'markdown')).toBe('שלום-ses_1.md');
  });
});
