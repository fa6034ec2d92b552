import { createHash } from 'node:crypto';
import { loadPage } from './interaction-pages.js';

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe.each(['inbox', 'answer'] as const)('the %s page', (name) => {
  const { html, headers } = loadPage(name);
  const policy = headers['content-security-policy'] ?? '';

  it('runs its own script and style and nothing else', () => {
    const script = /<script>([^]*)<\/script>/.exec(html)?.[1] ?? '';
    const style = /<style>([^]*)<\/style>/.exec(html)?.[1] ?? '';
    expect(policy).toContain(`script-src ${digestOf(script)}`);
    expect(policy).toContain(`style-src ${digestOf(style)}`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe/);
  });

  it('makes text of what the service says, and keeps the key in the tab only', () => {
    expect(html).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage|document\.cookie/,
    );
    expect(html).not.toMatch(/(src|href)="https?:/);
    expect(html).toContain('lang="en"');
  });
});
