import { readFileSync } from 'node:fs';
import { eventually } from '../harness/index.js';
import { ConsoleTabs, freshName, lookAt, owner } from './flow.js';
import { readerKey } from './reader.js';

const tabs = ConsoleTabs.forThisFile();
const nameOf = (word: string): string => freshName(word).replaceAll('-', '_');

async function ordersTable(rows: readonly Record<string, string | number>[]) {
  const table = await owner.tables.create({
    name: nameOf('orders'),
    visibility: 'organization',
    schema: {
      identity_column: 'number',
      columns: [
        { name: 'number', type: 'string', required: false, indexed: false, deprecated: false },
        { name: 'amount', type: 'number', required: false, indexed: false, deprecated: false },
        { name: 'note', type: 'string', required: false, indexed: false, deprecated: false },
      ],
      open: false,
    },
  });
  if (rows.length > 0) await owner.tables.bulkCreateTableRows(table.id, { rows: [...rows] });
  return table;
}

describe('tables', () => {
  it('are made, given a column, and deleted', async () => {
    const name = nameOf('orders');
    const page = await tabs.open('/tables');
    await page.getByRole('button', { name: 'New table' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Name of column 1').fill('number');
    await page.getByRole('button', { name: 'Make table' }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByText('No rows yet').waitFor();

    await page.getByRole('tab', { name: 'Schema' }).click();
    await page.getByRole('button', { name: 'Add a column' }).click();
    await page.getByLabel('Name of column 2').fill('amount');
    await page.getByLabel('Type of column 2').selectOption('number');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').waitFor();
    const [saved] = await owner.tables.list({ name }).all();
    expect(saved?.schema.columns.map((column) => `${column.name} ${column.type}`)).toEqual([
      'number string',
      'amount number',
    ]);
    await lookAt(page);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByLabel(`Type ${name} to confirm`).fill(name);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Tables' }).waitFor();
    await lookAt(page);
    expect(await owner.tables.list({ name }).all()).toEqual([]);
  });

  it('show rows in a grid that is edited, filtered and sorted by keyboard', async () => {
    const table = await ordersTable([
      { number: 'a', amount: 3, note: '<b>bold</b>' },
      { number: 'b', amount: 1 },
      { number: 'c', amount: 2, note: 'مرحبا' },
    ]);
    const page = await tabs.open(`/tables/${table.id}?sort=amount`);
    const grid = page.getByRole('grid', { name: `Rows of ${table.name}` });
    const cells = grid.getByRole('gridcell');
    await grid.getByText('<b>bold</b>').waitFor();
    expect(await cells.nth(1).innerText()).toBe('b');
    await lookAt(page);

    await cells.nth(1).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByLabel('amount of b').fill('many');
    await page.keyboard.press('Enter');
    await page.getByText('“many” is not a number').waitFor();
    await page.getByLabel('amount of b').fill('9');
    await page.keyboard.press('Enter');
    await cells.filter({ hasText: /^9$/ }).waitFor();
    const rows = await owner.tables.queryRows(table.id, { filter: { number: 'b' } }).all();
    expect(rows[0]?.data).toEqual({ number: 'b', amount: 9 });

    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Column', { exact: true }).selectOption('amount');
    await page.getByLabel('Condition').selectOption('$gte');
    await page.getByLabel('Value', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await cells.filter({ hasText: /^c$/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('filter')).toBe('{"amount":{"$gte":3}}');
    await grid.getByRole('button', { name: 'amount number' }).click();
    await page.waitForURL(({ searchParams }) => searchParams.get('sort') === '-amount');
    await grid
      .getByRole('columnheader', { name: /amount/ })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();

    await owner.tables.createRow(table.id, { data: { number: 'd', amount: 100 } });
    await cells.filter({ hasText: /^d$/ }).waitFor();
  });

  it('write a row, show its history, and delete it', async () => {
    const table = await ordersTable([{ number: 'a', amount: 3 }]);
    const page = await tabs.open(`/tables/${table.id}`, { expects: /409/ });
    await page.getByRole('button', { name: 'New row' }).click();
    const number = page.getByRole('dialog').getByLabel('number', { exact: true });
    await number.fill('a');
    await page.getByRole('button', { name: 'Write row' }).click();
    await number.and(page.locator('[aria-invalid=true]')).waitFor();
    await number.fill('b');
    await page.getByRole('button', { name: 'Write row' }).click();
    await page.getByRole('button', { name: 'Open row b' }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('list', { name: 'Changes of the row' }).getByText('inserted').waitFor();
    await lookAt(page);
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Type b to confirm').fill('b');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Open row b' }).waitFor({ state: 'detached' });
    // an open dialog hides the row too, so the page alone does not say that it is gone
    await eventually('the row to be deleted', async () => {
      const rows = await owner.tables.queryRows(table.id, {}).all();
      return rows.map(({ data }) => data['number']).join() === 'a';
    });
  });

  it('go out as CSV without formulas, and come back with each refused row named', async () => {
    const table = await ordersTable([
      { number: '=1+1', amount: -3, note: 'x, "y"' },
      { number: '@b', note: '-' },
    ]);
    const page = await tabs.open(`/tables/${table.id}?sort=number`);
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click();
    const file = await (await download).path();
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(`number,amount,note\r\n'=1+1,-3,"x, ""y"""\r\n'@b,,'-\r\n`);
    await page.getByRole('button', { name: 'Close' }).first().click();

    await page.getByRole('button', { name: 'Import' }).click();
    const buffer = Buffer.from(`${text}c,many,\r\n'-d,7,fresh\r\n`);
    await page.getByLabel('CSV file').setInputFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer });
    await page.getByText('1 new, 2 already there, 1 not readable.').waitFor();
    await page.getByText('“many” is not a number').waitFor();
    await lookAt(page);
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 row was written.').waitFor();
    const rows = await owner.tables.queryRows(table.id, {}).all();
    expect(rows.map(({ data }) => data)).toContainEqual({ number: '-d', amount: 7, note: 'fresh' });
    expect(rows).toHaveLength(3);
  });

  it('offer a reader the grid and no write', async () => {
    const table = await ordersTable([{ number: 'a', amount: 3 }]);
    const page = await tabs.open(`/tables/${table.id}`, { key: await readerKey() });
    const cell = page.getByRole('gridcell', { name: 'a', exact: true });
    await cell.dblclick();
    expect(await page.getByLabel('number of a').count()).toBe(0);
    const write = page.getByRole('button', { name: 'New row' });
    expect(await write.getAttribute('aria-description')).toBe('Needs the permission svc.resource.use');
  });
});
