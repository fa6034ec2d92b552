import type { Page } from 'playwright-core';

const stepsMax = 80;
/** An editor takes Tab until Escape was pressed in it. */
const takesTab = `document.activeElement.closest('.cm-content') !== null`;

/** Presses Tab until the focus is on what has this name; refuses when it is not reached. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < stepsMax; step += 1) {
    if (await page.evaluate<boolean>(takesTab)) await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    if ((await focused(page)) === name) return;
  }
  throw new Error(`${stepsMax} times Tab did not lead to ${name}`);
}

/** The name of what has the focus: its label, or its text. */
export function focused(page: Page): Promise<string> {
  return page.evaluate<string>(`{
    const element = document.activeElement;
    const by = (element.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
    const label = by.map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
      || element.labels?.[0]?.textContent || element.getAttribute('aria-label') || element.textContent;
    label.trim();
  }`);
}

/** Goes to a page by the palette. */
export async function goTo(page: Page, name: string): Promise<void> {
  await command(page, `go to ${name.toLowerCase()}`, `Go to ${name}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Carries out the command that the palette finds first for these words, which has this name. */
export async function command(page: Page, words: string, name: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.type(words);
  await page.getByRole('option', { name }).and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Enter');
}
