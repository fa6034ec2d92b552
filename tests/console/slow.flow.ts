import { createAgent, createSession } from '../harness/index.js';
import { api, transcript } from './conversations.js';
import { ConsoleTabs, freshName } from './flow.js';

const tabs = ConsoleTabs.forThisFile();

describe('where answers take their time', () => {
  it('a held Enter sends a message once', async () => {
    const { id } = await createSession(api, (await createAgent(api)).id, { session_key: freshName('slow') });
    const page = await tabs.open(`/sessions/${id}`);
    const sent: string[] = [];
    page.on('request', (one) => {
      if (one.method() === 'POST') sent.push(new URL(one.url()).pathname);
    });
    await page.getByRole('textbox', { name: 'Message' }).fill('Once');
    const keys = await page.context().newCDPSession(page);
    const enter = { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' } as const;
    await Promise.all(
      [false, true, true].map((autoRepeat) => keys.send('Input.dispatchKeyEvent', { ...enter, autoRepeat })),
    );
    await transcript(page).getByText('You said: Once').waitFor();
    expect(sent).toEqual([`/v1/sessions/${id}/turns`]);
  });
});
