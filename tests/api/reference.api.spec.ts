import { createHash } from 'node:crypto';
import { Client } from '../harness/index.js';

const api = Client.owner();

describe('the page of the contract', () => {
  it('G30: its policy allows its two scripts by their hashes, and the program is the one that it names', async () => {
    const page = await fetch(api.url('/docs'));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await page.text();
    const program = /src="\/docs\/reference.js" integrity="(sha256-[^"]+)"/.exec(html)?.[1] ?? '';
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
    const digest = (content: string | Buffer) => `sha256-${createHash('sha256').update(content).digest('base64')}`;
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain(`script-src '${program}' '${digest(script)}';`);
    expect(policy).toContain("connect-src 'self'");

    const sent = await fetch(api.url('/docs/reference.js'));
    expect(digest(Buffer.from(await sent.arrayBuffer()))).toBe(program);
    const again = await fetch(api.url('/docs/reference.js'), {
      headers: { 'if-none-match': sent.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  it('G30: its document is the contract with samples beside each operation of the API', async () => {
    const document = (await (await fetch(api.url('/docs/openapi.json'))).json()) as {
      paths: Record<string, Record<string, { 'x-codeSamples'?: { label: string; source: string }[] }>>;
    };
    expect(document.paths['/v1/agents']?.['post']?.['x-codeSamples']?.map(({ label }) => label)).toEqual([
      'TypeScript',
      'Python',
    ]);
    const plain = JSON.stringify(document, (name, value: unknown) => (name === 'x-codeSamples' ? undefined : value));
    expect(JSON.parse(plain)).toEqual(await (await fetch(api.url('/openapi.json'))).json());
  });
});
