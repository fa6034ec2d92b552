import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@aos/kernel/testing';
import { answerEarly, type EarlyAnswers } from './early-answers.js';

let early: EarlyAnswers;
let url = '';

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  early = await answerEarly({
    app: { name: 'gateway', version: '0.1.0' },
    settings: { port, host: '127.0.0.1' },
    readiness: { faults: () => Promise.resolve({ redis: 'not connected' }) },
  });
});
afterAll(() => early.close());

it('a process that starts refuses in the one shape of errors, with the id of the request (rules G12, G14, G25)', async () => {
  const answer = await fetch(`${url}/v1/agents`, { method: 'POST', body: '{}', headers: { 'x-request-id': 'mine' } });
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('x-request-id')]).toEqual([
    503,
    '1',
    'mine',
  ]);
  expect(await answer.json()).toEqual({ error: { code: 'service_unavailable', message: 'the service is starting' } });
});

it.each(['/healthz', '/readyz', '/v1/agents'])('%s has a request id of its own (rule G12)', async (path) => {
  expect((await fetch(url + path)).headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
});

describe('the port that it frees', () => {
  const app = { name: 'gateway', version: '0.1.0' } as const;

  it('answers what is under way to its end', async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let know: (faults: Record<string, string>) => void = () => undefined;
    const faults = () => {
      asked();
      return new Promise<Record<string, string>>((resolve) => {
        know = resolve;
      });
    };
    const port = await freePort();
    const going = await answerEarly({ app, settings: { port, host: '127.0.0.1' }, readiness: { faults } });
    const answer = fetch(`http://127.0.0.1:${port}/readyz`);
    await isAsked;
    const closed = going.close();
    know({ redis: 'not connected' });
    expect(await (await answer).json()).toMatchObject({ status: 'down', checks: { redis: 'not connected' } });
    await closed;
  });

  it('waits for no caller that is silent', async () => {
    const port = await freePort();
    const settings = { port, host: '127.0.0.1' };
    const going = await answerEarly({ app, settings, readiness: { faults: () => Promise.resolve({}) } });
    const silent = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(silent, 'connect');
    silent.write('POST /v1/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{');
    const left = new Promise((resolve) => silent.once('close', resolve));
    await going.close();
    await left;
  });
});
