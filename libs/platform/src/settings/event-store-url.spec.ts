import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventStoreUrl } from './event-store-url.js';

const authority = join(mkdtempSync(join(tmpdir(), 'tls-')), 'ca.pem');
writeFileSync(authority, 'pem');

describe('SVC_EVENTSTOREDB_URL', () => {
  it.each([
    ['esdb://127.0.0.1:2113?tls=false', 'esdb://127.0.0.1:2113?tls=false'],
    ['esdb://a:2113,b:2114,c?tls=true', 'esdb://a:2113,b:2114,c:2113?tls=true'],
    ['esdb+discover://cluster.example', 'esdb+discover://cluster.example:2113'],
    ['kurrentdb+discover://svc:secret@cluster.example:1/', 'esdb+discover://svc:secret@cluster.example:1'],
    ['kurrentdb://svc:p%40ss:word@a:1,b:2', 'esdb://svc:p%40ss%3Aword@a:1,b:2'],
    [
      `esdb://svc:secret@a,b?tls=true&tlsCaFile=${authority}`,
      `esdb://svc:secret@a:2113,b:2113?tls=true&tlsCAFile=${authority}`,
    ],
    ['esdb://a?node_preference=Read-Only-Replica&TLS=true', 'esdb://a:2113?nodePreference=Read-Only-Replica&tls=true'],
    [
      'esdb://a?maxDiscoverAttempts=-1&gossipTimeout=5&connectionName=a%20b',
      'esdb://a:2113?maxDiscoverAttempts=-1&gossipTimeout=5&connectionName=a%20b',
    ],
    ['esdb://a/?tlsVerifyCert=true', 'esdb://a:2113?tlsVerifyCert=true'],
  ])('takes %s', (given, taken) => expect(eventStoreUrl(given)).toBe(taken));

  it.each([
    ['http://a:2113', 'starts with esdb://'],
    ['esdb://', 'names no host'],
    ['esdb://a:2113,,c', 'place 2 of its hosts'],
    ['esdb://a:2113,b:no', 'place 2 of its hosts'],
    ['esdb://[::1]:2113', 'place 1 of its hosts'],
    ['esdb://a,b:99999', 'at host 2'],
    ['esdb+discover://a,b', '+discover takes one DNS name'],
    ['esdb://hush@a', 'has an account without user or password'],
    ['esdb://svc:hush%@a', 'has an account that is not percent-encoded'],
    ['esdb://svc:hu/sh@a', 'has an account that is not percent-encoded'],
    ['esdb://svc:hu@sh@a', 'has an account that is not percent-encoded'],
    ['esdb://svc:hu?sh@a?tls=true', 'more than one "?"'],
    ['esdb://svc:hush@a?tls=true&hush=1', 'unknown option in place 2'],
    ['esdb://svc:hush@a?tls=yes', 'an option tls that takes true or false'],
    ['esdb://svc:hush@a?tls=true&tls=true', 'the option tls twice'],
    ['esdb://svc:hush@a?tls', 'no tls=value in place 1'],
    ['esdb://svc:hush@a?tlsVerifyCert=false', 'tlsCaFile'],
    ['esdb://svc:hush@a?nodePreference=hush', 'takes one of leader, follower, random, readOnlyReplica'],
    ['esdb://svc:hush@a?gossipTimeout=hush', 'gossipTimeout that takes a whole number'],
    ['esdb://svc:hush@a?tlsCaFile=/not/there', 'tlsCAFile that names a file that cannot be read (ENOENT)'],
    [`esdb://svc:hush@a?userKeyFile=${authority}`, 'they go together'],
  ])('refuses %s and says which part is wrong, without the secret', (given, fault) => {
    expect(() => eventStoreUrl(given)).toThrow(fault);
    expect(() => eventStoreUrl(given)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') as string }) as Error,
    );
  });
});
