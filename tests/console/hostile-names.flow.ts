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

  it('stands as text in what is kept of files, web hooks and connections', async () => {
    const form = new FormData();
    const name = `${freshName('<img src=x onerror=alert(1)>')}${backwards}`;
    form.append('name', name);
    form.append('file', new Blob(['<script>document.title="taken"</script>']), 'page.html');
    const file = await owner.artifacts.create(form);
    const hook = await owner.webhooks.create({
      url: `https://${freshName('hostile')}.invalid/<script>`,
      event_types: ['crm.*'],
      description: markup,
    });
    const connection = await owner.connections.create({
      name: freshName(markup.slice(0, 60)),
      kind: 'basic',
      owner: { kind: 'team' },
      hosts: ['https://api.example.com'],
      username: markup,
      secret: 'a-long-secret',
    });
    for (const [path, text] of [
      [`/files?file=${file.id}`, name],
      ['/events?view=webhooks', markup],
      [`/events/webhooks/${hook.id}`, markup],
      ['/access?view=connections', connection.name],
      [`/access/connections/${connection.id}`, markup],
    ] as const) {
      const page = await tabs.open(path);
      await page.getByText(text).first().waitFor();
      expect(await page.locator('main img, main script, [role=dialog] img').count()).toBe(0);
      expect(await page.title()).not.toBe('taken');
      await page.close();
    }
    await owner.artifacts.delete(file.id);
    await owner.webhooks.delete(hook.id);
    await owner.connections.delete(connection.id);
  });

  it('stands as text in a session of the overview, and in what a failed turn says', async () => {
    const [agent] = await owner.agents.list({ name: 'support' }).all();
    const title = freshName(markup.slice(0, 60));
    const made = await owner.sessions.create({ agent_id: agent?.id ?? '', session_key: freshName('hostile'), title });
    const page = await tabs.open('/agents');
    // the overview shows the newest eight: other flows make some meanwhile
    await page.route(/\/v1\/sessions\?/, async (route) => {
      const { items, ...answer } = (await (await route.fetch()).json()) as { items: object[] };
      await route.fulfill({ json: { ...answer, items: [made, ...items.slice(1)] } });
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: title }).waitFor();
    expect(await page.title()).toBe('Overview · Console');
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  it.each(['/questions', '/access', '/events', '/usage'])(
    '%s: a view that there is not is the first one',
    async (path) => {
      const page = await tabs.open(`${path}?view=none`);
      await page.getByRole('tab').first().and(page.locator('[aria-selected=true]')).waitFor();
      await page.getByRole('tabpanel').first().waitFor();
      expect(await page.getByRole('tabpanel').first().innerText()).not.toBe('');
    },
  );

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
