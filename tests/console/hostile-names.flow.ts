import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
const markup = '<img src=x onerror="document.title=`taken`"><script>document.title="taken"</script>';
const backwards = '\u202Egpj.exe';

describe('text that wants to be more', () => {
  it('stands as text in lists, headings, editors and dialogs', async () => {
    const name = freshName('<b>bold</b>');
    const skill = await owner.skills.create({
      name,
      title: `${markup}${backwards}`,
      instructions: `${markup}\n[run](javascript:alert(1))`,
      visibility: 'organization',
    });
    const page = await tabs.open('/skills');
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.locator('.cm-content', { hasText: '<script>' }).waitFor();
    expect(await page.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0);
    await lookAt(page);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).waitFor();
    expect(await page.title()).toBe(`${name} · Console`);
    await owner.skills.delete(skill.id);
  });

  it('stands as text in a session of the overview, and in what a failed turn says', async () => {
    const [agent] = await owner.agents.list({ name: 'support' }).all();
    const title = freshName(markup.slice(0, 60));
    await owner.sessions.create({ agent_id: agent?.id ?? '', session_key: freshName('hostile'), title });
    const page = await tabs.open('/');
    await page.getByRole('link', { name: title }).waitFor();
    expect(await page.title()).toBe('Overview · Console');
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  it('comes to nothing in an address', async () => {
    const page = await tabs.open(`/skills?name=${encodeURIComponent(markup)}`);
    await page.getByText('No skill is named').waitFor();
    await page.goto(`${page.url().split('/console')[0]}/console/${encodeURIComponent(markup)}`);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await page.goto(`${page.url().split('/console')[0]}/console//example.com/%2e%2e/x`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(page.url()).host).toBe(new URL(process.env['BASE_URL'] ?? '').host);
    expect(await page.title()).not.toBe('taken');
  });
});
