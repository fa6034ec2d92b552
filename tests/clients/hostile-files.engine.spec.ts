import type { Browser, Page, Request } from 'playwright-core';
import { launchBrowser } from '../../libs/platform/src/testing/browser.js';
import { StartedService } from '../../libs/platform/src/testing/started-service.js';
import { Client, eventually, upload } from '../harness/index.js';

const key = 'files_owner_0123456789abcdef0123456789abcdef';
const ran = '/healthz?ran=';
const says = (what: string) => `fetch('${ran}${what}').catch(() => undefined)`;
const hostile = {
  html: `<!doctype html><script>${says('html')}</script><img src=x onerror="${says('img')}"><body onload="${says('body')}">`,
  svg: `<svg xmlns="http://www.w3.org/2000/svg" onload="${says('svg')}"><script>${says('svgscript')}</script></svg>`,
  js: says('js'),
} as const;
let service: StartedService | undefined;
let browser: Browser;
let url: string;

beforeAll(async () => {
  service = await StartedService.start('Files', key);
  ({ url } = service);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A page of the service's origin, and what ran in it. */
async function open(): Promise<{ page: Page; found: string[] }> {
  const page = await browser.newPage();
  const found: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes(ran)) found.push(request.url().split(ran)[1] ?? '');
  });
  await page.goto(`${url}/healthz`);
  return { page, found };
}

const elements = ['iframe', 'img', 'script', 'embed', 'object'];

/** Everything in a page that could run a file: frames, images, scripts, objects, a document of its own. */
async function tried(page: Page, address: string): Promise<void> {
  let over = 0;
  const count = (request: Request) => {
    if (request.url() === address) over += 1;
  };
  page.on('requestfinished', count).on('requestfailed', count);
  await page.evaluate(
    `for (const name of ${JSON.stringify(elements)}) {
      const element = document.createElement(name);
      element[name === 'object' ? 'data' : 'src'] = ${JSON.stringify(address)};
      document.documentElement.append(element);
    }`,
  );
  await eventually('each element to have its answer', async () => over >= elements.length);
  await page.goto(address).catch((error: unknown) => {
    if (!/Download is starting|ERR_ABORTED/.test(String(error))) throw error;
  });
  await page.evaluate("fetch('/healthz').then(({ ok }) => ok)").catch(() => undefined); // what ran before has asked by then
}

it.each(['html', 'svg', 'js'] as const)('TE6: a hostile file (%s) runs nothing in our origin', async (kind) => {
  const client = new Client(url, key);
  const { id } = await upload(client, hostile[kind], { name: `hostile.${kind}` });
  const { url: signed } = await client.post<{ url: string }>(`/v1/artifacts/${id}/signed-url`, undefined, 200);
  const address = `${url}${new URL(signed).pathname}`;

  const control = await open();
  const types = { html: 'text/html', svg: 'image/svg+xml', js: 'text/javascript' };
  await control.page.route('**/unsafe', (route) => route.fulfill({ contentType: types[kind], body: hostile[kind] }));
  await tried(control.page, `${url}/unsafe`);
  expect(control.found).not.toEqual([]); // the same bytes, served as what they are, do run

  const { page, found } = await open();
  await tried(page, address);
  expect(found).toEqual([]);
  await Promise.all([control.page.close(), page.close()]);
});
