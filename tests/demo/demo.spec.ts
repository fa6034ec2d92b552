import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import { type Message, type Page, type Session, type Turn } from '../harness/index.js';

const program = join(__dirname, '..', '..', 'tools', 'demo', 'demo.mjs');

async function demo(env: Record<string, string>): Promise<{ code: number | null; out: string; error: string }> {
  let [out, error] = ['', ''];
  const { KEY: _, SVC_KEY: __, ...rest } = process.env;
  const child = execFile(process.execPath, [program], { env: { ...rest, ...env }, timeout: 170_000 });
  child.stdout?.on('data', (chunk: string) => (out += chunk));
  child.stderr?.on('data', (chunk: string) => (error += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, error };
}

describe('npm run demo', () => {
  it('fills an empty service: sessions in every state, a question, rows, a routine; a second run adds nothing', async () => {
    const service = await OwnService.start();
    try {
      const api = service.client;
      const env = { SVC_URL: api.url('').origin, SVC_KEY: api.key ?? '' };
      const first = await demo(env);
      expect(first).toMatchObject({ code: 0, error: '' });
      expect(first.out).toContain(`  ${env.SVC_URL}/console `);
      const sessions = (await api.get<Page<Session>>('/v1/sessions', { limit: 100 })).items;
      const turns = await Promise.all(sessions.map(({ id }) => api.get<Page<Turn>>(`/v1/sessions/${id}/turns`)));
      expect(turns.flatMap(({ items }) => items.map(({ status }) => status)).sort()).toEqual([
        'cancelled',
        'completed',
        'completed',
        'failed',
        'running',
      ]);
      const looked = sessions.find(({ session_key: key }) => key === 'demo-order-status');
      const rows = (await api.get<Page<Message>>(`/v1/sessions/${looked?.id}/messages`)).items;
      expect(JSON.stringify(rows)).toContain('o-1003');
      expect(JSON.stringify(rows)).not.toContain('"is_error":true');
      expect((await api.get<Page<{ status: string }>>('/v1/interactions')).items).toMatchObject([
        { status: 'pending' },
      ]);
      expect((await api.get<Page<object>>('/v1/routines')).items).toHaveLength(1);

      const second = await demo(env);
      expect(second).toMatchObject({ code: 0, error: '' });
      expect(second.out).toContain('0 of 4 resources written');
      expect((await api.get<Page<Session>>('/v1/sessions', { limit: 100 })).items).toHaveLength(sessions.length);
      expect(await demo({ ...env, SVC_KEY: 'wrong' })).toMatchObject({
        code: 1,
        error: 'credential missing or not valid: SVC_KEY is not a key of this service\n',
      });
    } finally {
      await service.remove();
    }
  });

  it('says what to do when nothing answers, and without a key', async () => {
    const away = await demo({ SVC_URL: 'http://127.0.0.1:9', SVC_KEY: 'x' });
    expect([away.code, away.out]).toEqual([1, '']);
    expect(away.error).toContain('http://127.0.0.1:9');
    const keyless = await demo({});
    expect(keyless).toMatchObject({ code: 1, out: '' });
    expect(keyless.error).toContain('export SVC_KEY=');
  });
});
