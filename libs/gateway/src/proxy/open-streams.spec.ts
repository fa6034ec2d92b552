import { impliedPermissions, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { PinoLog, type Credentials } from '@aos/platform';
import { OpenStreams } from './open-streams.js';

const log = PinoLog.create({ app: 'test', level: 'silent', pretty: false });
const key: Identity = {
  orgId: 'org_1',
  principalId: 'svc_1',
  kind: 'service',
  apiKeyId: 'cred_1',
  permissions: impliedPermissions(['svc.resource.use']),
  roles: [],
  cap: null,
  requestId: 'r',
  ip: null,
};
const credentials = (authorization: string): Credentials => ({ authorization, ip: null, requestId: 'r' });

function started() {
  const clock = new ManualClock();
  /** What a credential still opens. */
  const opens = new Map<string, Identity>();
  const identify = ({ authorization = '' }: Credentials) => Promise.resolve(opens.get(authorization) ?? null);
  const streams = new OpenStreams({ identify }, clock, log);
  const open = (name: string): { isOver: boolean } => {
    const expiresAt = 2_000_000_000_000;
    const token = { id: name, verbs: new Set(['read'] as const), expiresAt, reach: { sessionIds: [] } };
    const identity: Identity = name.startsWith('tok_') ? { ...key, token } : key;
    opens.set(name, identity);
    const stream = { isOver: false };
    const endIt = () => {
      stream.isOver = true;
    };
    streams.add(identity, credentials(name), { end: endIt, rotate: endIt });
    return stream;
  };
  return { clock, opens, streams, open };
}

describe('rule A39: streams that browser tokens opened', () => {
  test('end within a second of their token, and no others of its key', async () => {
    const { clock, opens, streams, open } = started();
    const [one, two, ofKey] = [open('tok_one'), open('tok_two'), open('the key')];
    opens.delete('tok_one');
    clock.advance(1_000);
    await eventually('the end of the first', () => one.isOver);
    expect([two.isOver, ofKey.isOver]).toEqual([false, false]);
    await streams.close();
  });

  test('end when they are told of their key, each by itself', async () => {
    const { opens, streams, open } = started();
    const all = [open('tok_one'), open('the key'), open('tok_two')];
    opens.clear();
    streams.recheck();
    await eventually('the end of all', () => all.every(({ isOver }) => isOver));
    await streams.close();
  });
});
