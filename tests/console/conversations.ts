import type { Locator, Page } from 'playwright-core';
import { Client, createAgent, script, type Agent, type Message } from '../harness/index.js';

export const api = Client.owner();

/** An agent that may ask people and wait. */
export function askingAgent(): Promise<Agent> {
  return createAgent(api, {
    action_selectors: ['svc.interaction.open', 'svc.interaction.list', 'svc.event.wait'].map((selector) => ({
      selector_type: 'exact',
      selector,
    })),
  });
}

/** A model's script that asks these people one question, and says something then. */
export function asking(title: string, targets: readonly string[], spec: object, said: string): string {
  const input = { kind: 'request_information', title, target_user_ids: targets, spec };
  return script({ call: { name: 'svc_interaction_open', input } }, { say: said });
}

export function transcript(page: Page): Locator {
  return page.getByRole('log', { name: 'Transcript' });
}

/** The rows of a session as the service has them. */
export async function rowsOf(sessionId: string, client = api): Promise<Message[]> {
  const { items } = await client.get<{ items: Message[] }>(`/v1/sessions/${sessionId}/messages`, {
    order: 'desc',
    limit: 100,
  });
  return items;
}

export function textOf({ content }: Message): string {
  return (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

/** What the newest row of the agent says, in the page. */
export async function lastSaid(page: Page): Promise<string> {
  return (
    await transcript(page)
      .getByRole('article', { name: /^Agent/ })
      .last()
      .locator('p')
      .allInnerTexts()
  )
    .slice(0)
    .join('')
    .trim();
}
