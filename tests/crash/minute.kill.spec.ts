import {
  expectNoChanges,
  expectNoSecrets,
  expectTokens,
  expectToWait,
  killAtFlows,
  killAtRefreshes,
  removeAccounts,
  startAccounts,
} from './account-kills.js';
import { expectTexts, killAtConversions, removeConversions, startConversions } from './conversion-kills.js';
import { expectAnswers, expectLoopsToEnd, killAtMails, mailsInAll, removeMails, startMails } from './mail-kills.js';

jest.setTimeout(420_000);

/**
 * A try that fell with its process is taken up again a minute later, be it a reply, a refresh of a token or a
 * conversion. All of them wait for the same minute: each is killed first and looked at last, on a service of its own.
 */
beforeAll(() => Promise.all([startConversions(), startAccounts(), startMails()]), 120_000);
afterAll(() => Promise.all([removeConversions(), removeAccounts(), removeMails()]));

describe('a service that is killed', () => {
  it('TE83, TE3: right after files were stored comes back', killAtConversions);

  it('TE25: at each step of a refresh comes back', killAtRefreshes);

  it(`TE16: at each step of ${mailsInAll} mails of 10 senders comes back and takes them`, killAtMails);

  it('TE26: at each step of a flow leaves an account that is authorized, or that can begin again', killAtFlows);
});

describe('meanwhile', () => {
  it('TE16: a loop with a program that answers each mail ends, also of one that hides what it is', expectLoopsToEnd);

  it('VER7: connections and providers do not change while a fleet is upgraded', expectNoChanges);
});

describe('a minute after the kill', () => {
  it('TE83, TE3: each conversion ends, and with the files their texts go', expectTexts);

  it('TE25: a token is fetched all the same', expectTokens);

  it(`TE16: each of ${mailsInAll} mails is answered, again only under its Message-ID`, expectAnswers);
});

describe('what must not be seen', () => {
  it('TE20: after all these deaths no secret stands in a file or a log line', expectNoSecrets);

  it('TE131: an address that asked 60 times in a minute with states that are none has to wait', expectToWait);
});
