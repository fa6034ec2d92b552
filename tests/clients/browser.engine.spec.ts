import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../libs/platform/src/testing/browser.js';
import { StartedService } from '../../libs/platform/src/testing/started-service.js';

const root = join(__dirname, '..', '..');
const key = 'client_owner_0123456789abcdef0123456789abcdef';
let service: StartedService | undefined;
let browser: Browser;
let url: string;

beforeAll(async () => {
  const built = spawnSync(process.execPath, [join(root, 'tools', 'client.mjs')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
  service = await StartedService.start('Client', key);
  ({ url } = service);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Runs in the page, which imports the packed file as it is. */
const program = `(async () => {
  const { AgentService, is, verifyDelivery } = await import('/packed.js');
  const svc = new AgentService({ baseUrl: location.origin, key: ${JSON.stringify(key)} });
  const agent = await svc.agents.create({ name: 'page', model: 'svc-scripted-1', visibility: 'organization' });
  await svc.actions.create({ name: 'greet', endpoint_kind: 'worker' });
  const worker = svc.worker({ actions: { greet: ({ name }) => ({ said: 'Hello ' + name }) } });
  const run = svc.invoke('page', 'Count: tokens=4 every=20');
  let text = '';
  for await (const piece of run.text()) text += piece;
  const turn = await run.done();
  const transcript = svc.sessions.transcript(turn.session_id);
  await transcript.ready;
  const rows = transcript.messages.length;
  transcript.close();
  let greeting;
  for (let tries = 0; tries < 100 && !greeting; tries += 1)
    greeting = await svc.actions.invoke('greet', { input: { name: 'Ada' } }).catch((error) => {
      if (!is.actionNotReady(error)) throw error;
    });
  await worker.drain();
  const forged = await verifyDelivery({ headers: {}, body: '' }, 'secret').catch((error) => error.name);
  return { name: agent.name, text, status: turn.status, rows, greeting, forged };
})()`;

it('runs in a page as it is packed, without a bundler: calls, streams, a worker, signatures', async () => {
  const page = await browser.newPage();
  await page.route(`${url}/packed.js`, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: readFileSync(join(root, 'libs', 'client', 'dist', 'index.js'), 'utf8'),
    }),
  );
  await page.goto(`${url}/healthz`); // a page that the service serves may open its socket
  expect(await page.evaluate(program)).toEqual({
    name: 'page',
    text: 'tok0 tok1 tok2 tok3 ',
    status: 'completed',
    rows: 2,
    greeting: expect.objectContaining({ output: { said: 'Hello Ada' } }) as object,
    forged: 'VerificationError',
  });
});
