import type { Page } from 'playwright-core';
import { createAgent, createSession, invoke, reaches, type Agent } from '../harness/index.js';
import { api, transcript } from './conversations.js';
import { ConsoleTabs, freshName } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

const rowsAtOnce = 100;
/** SF13, on a quiet machine; a loaded one has `CONSOLE_SLOWER` times as long. */
const slower = Number(process.env['CONSOLE_SLOWER'] ?? 1);
const shownMs = 1_000 * slower;
const frameMs = 50 * slower;

/** A session with so many imported rows; `rowOf` gives the text of each. */
async function filled(
  title: string,
  count: number,
  rowOf: (index: number) => string,
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

/** Opens the session from the list, and gives the milliseconds from the click until its newest row stands there. */
async function openedIn(page: Page, title: string, newest: string): Promise<number> {
  const link = page.getByRole('link', { name: title });
  await link.waitFor();
  await link.hover(); // what a reader does before a click: the page's program is loaded then
  await page.waitForLoadState('networkidle');
  const began = page.evaluate(
    (said) =>
      new Promise<number>((resolve) => {
        let from = 0;
        addEventListener('click', () => (from = performance.now()), { once: true, capture: true });
        const look = (): void => {
          const isThere = from > 0 && document.querySelector('[role=log]')?.textContent?.includes(said) === true;
          if (isThere) resolve(performance.now() - from);
          else requestAnimationFrame(look);
        };
        look();
      }),
    newest,
  );
  await link.click();
  return began;
}

/** Scrolls up for a while as a wheel does; gives the longest tasks that held the page up. */
function scrolledUp(page: Page, ms: number): Promise<{ longest: number; moved: number }> {
  return page.evaluate(
    (forMs) =>
      new Promise<{ longest: number; moved: number }>((resolve) => {
        const log = document.querySelector('[role=log]') as HTMLElement;
        let longest = 0;
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
        });
        observer.observe({ entryTypes: ['longtask'] });
        const began = performance.now();
        let moved = 0;
        const step = (now: number): void => {
          const before = log.scrollTop;
          log.scrollTop -= 90;
          moved += before - log.scrollTop;
          if (now - began < forMs) requestAnimationFrame(step);
          else {
            observer.disconnect();
            resolve({ longest, moved });
          }
        };
        requestAnimationFrame(step);
      }),
    ms,
  );
}

describe('a long transcript', () => {
  it('SF13: shows its newest rows at once, and scrolls without a long frame', async () => {
    const title = freshName('Ten thousand');
    const paragraph = 'A sentence with **bold** words, `code` and [a link](https://example.com). '.repeat(4);
    await filled(title, 10_000, (index) => `Row ${index}.\n\n${paragraph}\n\n- one\n- two`);
    const page = await tabs.open(`/sessions?q=${title.split(' ')[0]}`);
    expect(await openedIn(page, title, 'Row 9999.')).toBeLessThan(shownMs);
    await scrolledUp(page, 1_000); // the first pages
    const { longest, moved } = await scrolledUp(page, 4_000);
    expect(moved).toBeGreaterThan(5_000);
    expect(longest).toBeLessThan(frameMs);
    await page.getByRole('button', { name: 'Newest' }).click();
    await transcript(page).getByText('Row 9999.').waitFor();
  }, 180_000);

  it('keeps what is read in its place when older rows join', async () => {
    const title = freshName('Anchored');
    await filled(title, 400, (index) => `Row ${index}. ${'more '.repeat(index % 37)}`);
    const page = await tabs.open(`/sessions?q=${title}`);
    await openedIn(page, title, 'Row 399.');
    const jumps = await page.evaluate(async () => {
      const log = document.querySelector('[role=log]') as HTMLElement;
      const found: number[] = [];
      const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let step = 0; step < 400 && log.scrollTop > 0; step += 1) {
        const rows = [...log.querySelectorAll<HTMLElement>('[data-row-id]')];
        const middle = rows.find((row) => row.getBoundingClientRect().top > log.getBoundingClientRect().top + 100);
        const before = middle?.getBoundingClientRect().top ?? 0;
        const from = log.scrollTop;
        log.scrollTop -= 60;
        const by = from - log.scrollTop;
        await picture();
        await picture();
        if (middle?.isConnected === true) found.push(Math.abs(middle.getBoundingClientRect().top - before - by));
      }
      return found;
    });
    expect(jumps.length).toBeGreaterThan(50);
    expect(Math.max(...jumps)).toBeLessThan(4);
    await transcript(page).getByText('Row 0.', { exact: false }).first().waitFor();
  }, 120_000);

  it('opens at the row that its address names', async () => {
    const title = freshName('Place');
    const { id } = await filled(title, 300, (index) => `Row ${index}.`);
    const page = await tabs.open(`/sessions/${id}?row=51`);
    await transcript(page).getByText('Row 50.', { exact: true }).waitFor();
    expect(await transcript(page).getByText('Row 299.', { exact: true }).count()).toBe(0);
  }, 120_000);

  it('SF13: a turn of 100 tokens a second renders only the row that grows', async () => {
    const title = freshName('Grows');
    const { id, session_key } = await filled(title, 200, (index) => `Row ${index}.`);
    const page = await tabs.open(`/sessions/${id}`);
    await transcript(page).getByText('Row 199.').waitFor();
    const turn = await invoke(api, agent.id, 'tokens=600 every=10', { session: { session_key } });
    await page.locator('[data-status=streaming]').getByText('tok9').waitFor();
    const touched = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const growing = document.querySelector('[data-status=streaming]') as HTMLElement;
          const ids = new Set<string>();
          let changes = 0;
          const observer = new MutationObserver((records) => {
            for (const { target } of records) {
              const element = target instanceof Element ? target : target.parentElement;
              const row = element?.closest('[data-row-id]');
              if (row === growing) changes += 1;
              else if (row) ids.add(row.getAttribute('data-row-id') ?? '');
            }
          });
          const log = document.querySelector('[role=log]') as HTMLElement;
          observer.observe(log, { subtree: true, childList: true, characterData: true, attributes: true });
          setTimeout(() => {
            observer.disconnect();
            resolve(changes > 0 ? [...ids] : ['nothing grew']);
          }, 1_500);
        }),
    );
    expect(touched).toEqual([]);
    await reaches(api, turn, 'completed', 30_000);
  }, 120_000);

  it('stays smooth with forty megabytes', async () => {
    const title = freshName('Megabytes');
    await filled(title, 80, (index) => `Row ${index}. ${'word '.repeat(100_000)}`);
    const page = await tabs.open(`/sessions?q=${title}`);
    await openedIn(page, title, 'Row 79.');
    const { longest } = await scrolledUp(page, 3_000);
    expect(longest).toBeLessThan(frameMs * 4);
    await page.getByRole('button', { name: 'Newest' }).click();
    await transcript(page).getByText('Row 79.').waitFor();
  }, 180_000);
});
