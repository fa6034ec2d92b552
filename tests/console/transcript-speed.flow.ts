import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { cancelTurn, createAgent, createSession, invoke, type Agent } from '../harness/index.js';
import { api, transcript } from './conversations.js';
import { ConsoleTabs, freshName } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

/** Rows that may stand in the page at once, however long the transcript is: those of a few screens. */
const standingMax = 120;
/** Pages of rows that are read until the newest row stands there. */
const pagesFirstMax = 3;

/** A session with so many imported rows; `rowOf` gives the text of each. */
async function filled(
  title: string,
  count: number,
  rowOf: (index: number) => string,
  rowsAtOnce = 100,
): Promise<{ id: string; session_key: string }> {
  const session = await createSession(api, agent.id, { session_key: freshName('long'), title });
  for (let from = 0; from < count; from += rowsAtOnce) {
    const messages = Array.from({ length: Math.min(rowsAtOnce, count - from) }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: [{ type: 'text', text: rowOf(from + index) }],
    }));
    await api.post(`/v1/sessions/${session.id}/messages`, { messages }, 200);
  }
  return session;
}

const measures = readFileSync(join(__dirname, 'measures.page.js'), 'utf8');

/** What a function of `measures.page.js` gives in the page. */
async function measured<Result>(page: Page, name: string, argument: string | number = ''): Promise<Result> {
  return page.evaluate<Result>(`(() => { ${measures} })(); globalThis.${name}(${JSON.stringify(argument)})`);
}

/** Opens the session from the list; gives how many pages of rows were read until its newest row stood there. */
async function openedIn(page: Page, title: string, newest: string): Promise<number> {
  let pages = 0;
  page.on('request', (request) => {
    if (/\/v1\/sessions\/[^/]+\/messages/.test(request.url())) pages += 1;
  });
  const link = page.getByRole('link', { name: title });
  await Promise.all([page.waitForResponse(/\/session-page-/), link.hover()]); // as a reader does before the click
  const [ms] = await Promise.all([measured<number>(page, 'shownAfterClick', newest), link.click()]);
  console.log(`said: ${newest} stood there after ${Math.round(ms)} ms and ${pages} pages of rows`);
  return pages;
}

async function standing(page: Page): Promise<number> {
  return transcript(page).locator('[data-row-id]').count();
}

function scrolledUp(page: Page, ms: number): Promise<{ longest: number; moved: number }> {
  return measured(page, 'scrolledUp', ms);
}

describe('a long transcript', () => {
  it('SF13: shows its newest rows after a few pages of them, and never has more than a few screens of rows', async () => {
    const title = freshName('Ten thousand');
    const paragraph = 'A sentence with **bold** words, `code` and [a link](https://example.com). '.repeat(4);
    await filled(title, 10_000, (index) => `Row ${index}.\n\n${paragraph}\n\n- one\n- two`);
    const page = await tabs.open(`/sessions?q=${title.split(' ')[0]}`);
    expect(await openedIn(page, title, 'Row 9999.')).toBeLessThanOrEqual(pagesFirstMax);
    await scrolledUp(page, 1_000); // the first pages
    const { longest, moved } = await scrolledUp(page, 4_000);
    expect(moved).toBeGreaterThan(1_000);
    console.log(`said: the longest task while scrolling took ${Math.round(longest)} ms`);
    expect(await standing(page)).toBeLessThanOrEqual(standingMax);
    await page.getByRole('button', { name: 'Newest' }).click();
    await transcript(page).getByText('Row 9999.').waitFor();
  }, 180_000);

  it('keeps what is read in its place when older rows join', async () => {
    const title = freshName('Anchored');
    await filled(title, 400, (index) => `Row ${index}. ${'more '.repeat(index % 37)}`);
    const page = await tabs.open(`/sessions?q=${title}`);
    await openedIn(page, title, 'Row 399.');
    const jumps = await measured<number[]>(page, 'jumpsOnTheWayUp');
    expect(jumps.length).toBeGreaterThan(50);
    expect(Math.max(...jumps)).toBeLessThan(4);
  });

  it('opens at the row that its address names', async () => {
    const title = freshName('Place');
    const { id } = await filled(title, 300, (index) => `Row ${index}.`);
    const page = await tabs.open(`/sessions/${id}?row=51`);
    await transcript(page).getByText('Row 50.', { exact: true }).waitFor();
    expect(await transcript(page).getByText('Row 299.', { exact: true }).count()).toBe(0);
  });

  it('SF13: a turn of 100 tokens a second renders only the row that grows', async () => {
    const title = freshName('Grows');
    const { id, session_key } = await filled(title, 200, (index) => `Row ${index}.`);
    const page = await tabs.open(`/sessions/${id}`);
    await transcript(page).getByText('Row 199.').waitFor();
    const turn = await invoke(api, agent.id, 'tokens=2000 every=10', { session: { session_key } });
    await page.locator('[data-status=streaming]').getByText('tok9').waitFor();
    expect(await measured(page, 'changedBesideTheGrowing', 1_500)).toEqual({ others: [], grew: true });
    await cancelTurn(api, turn);
  });

  it('stays smooth with forty megabytes', async () => {
    const title = freshName('Megabytes');
    await filled(title, 80, (index) => `Row ${index}. ${'word '.repeat(100_000)}`, 10);
    const page = await tabs.open(`/sessions?q=${title}`);
    await openedIn(page, title, 'Row 79.');
    await scrolledUp(page, 3_000);
    expect(await standing(page)).toBeLessThanOrEqual(standingMax);
    await page.getByRole('button', { name: 'Newest' }).click();
    await transcript(page).getByText('Row 79.').waitFor();
  }, 180_000);
});
