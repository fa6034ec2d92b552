import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { CommandLine, anotherOwner, createAgent, eventually, invoke, settled, unique } from '../harness/index.js';

/** An organization of its own: one that follows from the earliest event on has the events of no other suite. */
const api = anotherOwner(unique('Tail'));
const svc = new CommandLine({ SVC_URL: process.env.BASE_URL ?? '', SVC_KEY: api.key ?? '' });
afterAll(() => {
  svc.remove();
});

it('svc events tail prints events as they come, and hands them on signed as web hooks are', async () => {
  const received: { headers: Record<string, string>; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
  const agent = await createAgent(api);
  const before = await invoke(api, agent.id, 'before');
  await settled(api, before);
  const child = svc.start('events', 'tail', '--event-type', 'session.*', '--from', 'earliest', '--forward-to', url);
  let [out, error] = ['', ''];
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (error += chunk.toString()));
  try {
    await eventually('the event of the session', () => Promise.resolve(out.includes(before.session_id)));
    const later = await invoke(api, agent.id, 'later');
    await eventually('the later event', () => Promise.resolve(out.includes(later.session_id)));
    await eventually('its delivery', () =>
      Promise.resolve(received.some(({ body }) => body.includes(later.session_id))),
    );
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(error)?.[0] ?? '';
    const verifier = new Webhook(secret);
    for (const { headers, body } of received) {
      const event = verifier.verify(body, headers) as { meta: { id: string } };
      expect(headers['webhook-id']).toBe(event.meta.id);
    }
    const changed = { ...received[0], body: `${received[0]?.body} ` };
    expect(() => verifier.verify(changed.body, changed.headers ?? {})).toThrow();
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event_type: string });
    expect(lines.every(({ event_type: type }) => type.startsWith('session.'))).toBe(true);
    expect(error).toContain('-> 204 session.');
  } finally {
    child.kill('SIGKILL');
    receiver.close();
  }
});
