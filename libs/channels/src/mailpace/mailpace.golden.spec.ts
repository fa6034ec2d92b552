import { goldenOf } from '@aos/kernel/testing';
import { mailpaceKind } from './mailpace.state.js';

const golden = goldenOf(__dirname, mailpaceKind);

describe('recorded events of the mails of an hour', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    const mail = { exchange_id: 'exch_00000000000000000000000001', sender: 'ann@example.org' };
    expect(golden.after('MailPaced').mails).toMatchObject([mail]);
  });
});
