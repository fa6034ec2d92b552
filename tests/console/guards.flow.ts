import { ConsoleTabs, lookAt, seriousFaults } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('what fails a flow', () => {
  it('a control without a name', async () => {
    const page = await tabs.open('/skills');
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    await page.evaluate(`document.querySelector('main').append(document.createElement('input'))`);
    expect(await seriousFaults(page)).toEqual([expect.stringMatching(/^label: /)]);
    await expect(lookAt(page)).rejects.toThrow(/label: /);
  });

  it('something wider than a narrow screen', async () => {
    const page = await tabs.open('/skills');
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    await page.evaluate(`{
      const wide = document.createElement('p');
      wide.style.width = '500px';
      wide.textContent = 'wide';
      document.querySelector('main').append(wide);
    }`);
    await expect(lookAt(page)).rejects.toThrow(/360/);
  });

  it('markup from text, a script of another origin, an inline handler', async () => {
    const seen: string[] = [];
    const page = await tabs.open('/skills', { expects: /TrustedHTML|Content Security Policy/ });
    page.on('console', (message) => seen.push(message.text()));
    await page.getByRole('heading', { level: 1, name: 'Skills' }).waitFor();
    const tries = [
      `document.querySelector('main').innerHTML = '<b>x</b>'`,
      `fetch('https://example.com/')`,
      `document.querySelector('main').setAttribute('style', 'color: red')`,
    ];
    for (const script of tries)
      await page.evaluate((text) => {
        const run = new Promise((resolve) => {
          resolve(globalThis.eval(text));
        });
        return run.then(
          () => null,
          (error: unknown) => String(error),
        );
      }, script);
    expect(seen.filter((text) => /TrustedHTML|Content Security Policy/.test(text)).length).toBeGreaterThanOrEqual(3);
  });
});
