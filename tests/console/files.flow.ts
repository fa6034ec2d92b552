import { readFileSync } from 'node:fs';
import { ConsoleTabs, baseUrl, freshName, lookAt, owner } from './flow.js';
import { person, viewerKey } from './person.js';

const tabs = ConsoleTabs.forThisFile();

function formOf(name: string, text: string): FormData {
  const form = new FormData();
  form.append('name', name);
  form.append('file', new Blob([text]), name);
  return form;
}

describe('files', () => {
  it('are uploaded, read, given a link without a key, and deleted', async () => {
    const name = `${freshName('a <b>report<b> with a very long name of which only the beginning fits')}.txt`;
    const page = await tabs.open('/files');
    await page.getByRole('meter', { name: 'Use of the storage' }).waitFor();
    await page.getByRole('button', { name: 'Upload a file' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'report.txt', mimeType: 'text/plain', buffer: Buffer.from('twelve bytes') });
    await dialog.getByText('12 bytes').waitFor();
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Text for models').selectOption('Taken out at once');
    await lookAt(page);
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    const row = page.getByRole('button', { name });
    await row.waitFor();
    await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
    await lookAt(page);
    await row.click();
    await page.waitForURL((url) => (url.searchParams.get('file') ?? '').startsWith('art_'));
    const [made] = (await owner.artifacts.list({ mime: 'text/plain' }).all(1_000)).filter((one) => one.name === name);
    expect(made).toMatchObject({ size_bytes: 12, visibility: 'organization' });
    await dialog.getByText('is ready').waitFor();

    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(readFileSync(await saved.path(), 'utf8')).toBe('twelve bytes');

    await dialog.getByLabel('How long it works').selectOption('for an hour');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const link = new URL(await dialog.getByLabel('The link', { exact: true }).innerText());
    const content = await fetch(`${baseUrl}${link.pathname}`);
    expect([content.status, await content.text()]).toEqual([200, 'twelve bytes']);
    await lookAt(page);

    await page.reload();
    await dialog.getByText('12 bytes').waitFor();
    await dialog.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    await expect(owner.artifacts.get(made?.id ?? '')).rejects.toMatchObject({ status: 404 });
  });

  it('of a person are theirs alone, and are looked for by type', async () => {
    const ann = await person('ann', 'Admin');
    const name = freshName('hers');
    const { id } = await ann.svc.artifacts.create(formOf(name, 'hers'));
    const own = await tabs.open('/files', { key: ann.key });
    await own.getByRole('row').filter({ hasText: name }).getByText('you alone').waitFor();
    await own.getByLabel('Type').selectOption('video/');
    await own.getByText('No such file').waitFor();
    const page = await tabs.open(`/files?file=${id}`, { expects: /404 .*artifacts\/art_/ });
    await page.getByText('It is not there').waitFor();
    await lookAt(page);
    await ann.svc.artifacts.delete(id);
  });

  it('of a session stand beside its transcript', async () => {
    const [agent] = await owner.agents.list({ name: 'support' }).all();
    const session = await owner.sessions.create({ agent_id: agent?.id ?? '', session_key: freshName('files') });
    const { id } = await owner.artifacts.create(formOf(freshName('elsewhere'), 'of no session'));
    const page = await tabs.open(`/sessions/${session.id}`);
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByText('No files yet').waitFor();
    await lookAt(page);
    const name = freshName('attached');
    await page.getByRole('button', { name: 'Attach a file' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('of the session') });
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('list', { name: 'Files' }).getByRole('button', { name }).click();
    await dialog.getByText('14 bytes').waitFor();
    await lookAt(page);
    expect((await owner.artifacts.list({ session_id: session.id }).all(100)).map((one) => one.name)).toEqual([name]);
    await dialog.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No files yet').waitFor();
    await owner.artifacts.delete(id);
  });

  it('are not uploaded by a key that may only read', async () => {
    const page = await tabs.open('/files', { key: await viewerKey() });
    const upload = page.getByRole('button', { name: 'Upload a file' }).first();
    expect(await upload.getAttribute('aria-description')).toBe('Needs the permission svc.resource.build');
    await lookAt(page);
  });
});
