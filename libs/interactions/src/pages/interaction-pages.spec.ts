import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { InteractionPages } from './interaction-pages.js';

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const folder = mkdtempSync(join(tmpdir(), 'interactions-'));
const document = (script: string) =>
  `<html lang="en"><title>Inbox · Console</title><style>a{}</style><script type="module">${script}</script></html>`;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function built(html: string): InteractionPages {
  writeFileSync(join(folder, 'interactions.html'), html);
  return new InteractionPages(folder);
}

describe('the pages of people', () => {
  it('run their own script and style and nothing else', async () => {
    const pages = built(document('x = 1'));
    for (const name of ['inbox', 'answer'] as const) {
      const policy = (await pages.page(name))?.headers['content-security-policy'] ?? '';
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        `script-src ${digestOf('x = 1')}`,
        `style-src ${digestOf('a{}')}`,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]);
    }
  });

  it('differ in their title, and are the same when they come small', async () => {
    const pages = built(document('x = 1'));
    const answer = await pages.page('answer');
    expect((await pages.page('inbox'))?.html).toBe(document('x = 1'));
    expect(answer?.html).toBe(document('x = 1').replace('Inbox', 'Question'));
    expect(gunzipSync(answer?.small ?? '').toString()).toBe(answer?.html);
  });

  it('are not there where the console was not built', async () => {
    expect(await new InteractionPages(null).page('inbox')).toBeNull();
    expect(await new InteractionPages(join(folder, 'none')).page('inbox')).toBeNull();
  });

  it('are refused with a second script', async () => {
    await expect(built(document('1</script><script>2')).page('inbox')).rejects.toThrow('exactly one script');
  });
});
