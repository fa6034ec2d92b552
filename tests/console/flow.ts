import { source as axeSource } from 'axe-core';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { AgentService } from '../../libs/client/src/index.js';
import { launchBrowser } from '../../libs/platform/src/testing/browser.js';

export const baseUrl = process.env['BASE_URL'] ?? '';
export const ownerKey = process.env['OWNER_KEY'] ?? '';
/** The service as its owner reaches it, to prepare and to look up. */
export const owner = new AgentService({ baseUrl, key: ownerKey });

/** So long a flow waits for what is to be there; a slow machine takes long. */
const waitMs = 60_000;
const keyItem = 'agent-service.key';
const narrow = { width: 360, height: 740 };
const wide = { width: 1280, height: 860 };

interface Opening {
  /** Null opens the page without a key. */
  key?: string | null;
  /** Faults that the flow brings about on purpose: what matches is none. */
  expects?: RegExp;
  /** Another service than the one that all flows share. */
  url?: string;
  /** Another origin of the service, whose certificate is taken as it is. */
  through?: string;
  /** Where the page lies, for one outside of `/console`. */
  under?: string;
}

/**
 * Tabs of the console for one file of flows. After each flow they are closed, and the flow fails when a tab broke the
 * page's policy, threw, or wrote an error to its console.
 */
export class ConsoleTabs {
  private browser: Browser | null = null;
  private readonly contexts: BrowserContext[] = [];
  private faults: string[] = [];

  /** Call it once at the top of the file. */
  static forThisFile(): ConsoleTabs {
    const tabs = new ConsoleTabs();
    beforeAll(async () => {
      if (baseUrl === '') throw new Error('flows are run by npm run test:console');
      tabs.browser = await launchBrowser();
    });
    afterEach(() => tabs.settle());
    afterAll(() => tabs.browser?.close());
    return tabs;
  }

  /** Opens a page of the console, such as `/skills`, in a browser of its own with the owner's key. */
  async open(
    path: string,
    { key = ownerKey, expects, through, url = through ?? baseUrl, under = '/console' }: Opening = {},
  ): Promise<Page> {
    if (this.browser === null) throw new Error('tabs are opened inside a flow');
    // one that died took its flow with it, and no other
    if (!this.browser.isConnected()) this.browser = await launchBrowser();
    const place = { viewport: wide, locale: 'en-GB', timezoneId: 'Europe/Berlin' };
    const context = await this.browser.newContext({ ...place, ignoreHTTPSErrors: through !== undefined });
    this.contexts.push(context);
    context.setDefaultTimeout(waitMs);
    await context.addInitScript({ content: axeSource });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.note(`threw ${error.message}`, expects));
    page.on('console', (message) => {
      if (message.type() === 'error') this.note(textOf(message), expects);
    });
    if (key !== null) {
      // An empty page of the service's origin, where the tab is given its key.
      const keyPage = `${url}/a-page-of-the-flow`;
      await page.route(keyPage, (route) =>
        route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }),
      );
      await page.goto(keyPage);
      await page.evaluate(([item, value]) => sessionStorage.setItem(item, value), [keyItem, key] as const);
    }
    await page.goto(`${url}${under}${path.replace(/^\/(?=$|#)/, '')}`);
    return page;
  }

  private note(fault: string, expects: RegExp | undefined): void {
    if (!expects?.test(fault)) this.faults.push(fault);
  }

  private async settle(): Promise<void> {
    const { faults } = this;
    this.faults = [];
    const contexts = this.contexts.splice(0).filter((context) => context.browser()?.isConnected() === true);
    await Promise.all(contexts.map((context) => context.close()));
    expect(faults).toEqual([]);
  }
}

function textOf(message: ConsoleMessage): string {
  return `${message.text()} ${message.location().url}`;
}

/** Resolves when the colours of the other theme stand. */
const colourChanges = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))`;

/**
 * Looks at the page as it stands: one `h1` and one `main`, a title, nothing serious for axe in light and dark, and
 * nothing that overflows at 360 pixels. Leaves the page wide and light.
 */
export async function lookAt(page: Page): Promise<void> {
  expect({ h1: await page.locator('h1').count(), main: await page.locator('main').count() }).toEqual({
    h1: 1,
    main: 1,
  });
  expect(await page.title()).toMatch(/^.+ · Console$/);
  // rows of another filter are faded
  await page.locator('[aria-busy=true]:not(article)').first().waitFor({ state: 'detached' });
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(colourChanges);
    expect({ colorScheme, found: await seriousFaults(page) }).toEqual({ colorScheme, found: [] });
  }
  await page.setViewportSize(narrow);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(narrow.width);
  expect(await seriousFaults(page)).toEqual([]);
  await page.setViewportSize(wide);
}

/** What axe finds on the page as it stands that keeps a person out. */
export async function seriousFaults(page: Page): Promise<string[]> {
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** A fresh name, so that flows against one service do not meet. */
export function freshName(word: string): string {
  return `${word}-${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
}
