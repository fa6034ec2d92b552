import { sha256Hex, StoreRefused, StoreUnavailable } from '@aos/kernel';
import { ManualClock, whileTimePasses } from '@aos/kernel/testing';
import { S3Blobs } from './index.js';
import { FakeS3, fakeS3Keys } from './testing/fake-s3.js';

/** Every wait is over at once; what was waited is kept. */
class ImpatientClock extends ManualClock {
  readonly slept: number[] = [];
  override sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    return Promise.resolve();
  }
}

describe('blobs in an S3 store', () => {
  let server: FakeS3;
  let clock: ImpatientClock;
  let blobs: S3Blobs;
  const content = Buffer.from('some bytes');
  const digest = sha256Hex(content);
  const path = `/blobs/org_1/${digest}`;

  beforeEach(async () => {
    server = await FakeS3.start();
    clock = new ImpatientClock();
    blobs = new S3Blobs({ endpoint: `${server.endpoint}/`, ...fakeS3Keys, clock, random: () => 1 });
  });
  afterEach(async () => {
    await blobs.close();
    await server.stop();
  });

  test('asks before it writes, and writes once', async () => {
    await blobs.put('org_1', content);
    await blobs.put('org_1', content);
    expect(server.seen.map(({ method, path: at, status }) => `${method} ${at} ${status}`)).toEqual([
      `HEAD ${path} 404`,
      `PUT ${path} 200`,
      `HEAD ${path} 200`,
    ]);
    expect(server.objects.get(path)).toEqual(content);
  });

  test('repeats on 5xx, 429 and broken connections, a bounded number of times', async () => {
    server.trouble.push(503, 429);
    expect(await blobs.put('org_1', content)).toBe(digest);
    server.trouble.push('cut');
    expect(await blobs.get('org_1', digest)).toEqual(new Uint8Array(content));
    expect(clock.slept).toEqual([100, 400, 100]);
    server.trouble.push(500, 'cut', 503);
    await expect(blobs.get('org_1', digest)).rejects.toThrow(
      new StoreUnavailable('the S3 store answered 503 to GET SlowDown'),
    );
    server.trouble.push('cut', 'cut', 'cut');
    await expect(blobs.get('org_1', digest)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(server.trouble).toEqual([]);
  });

  test('a store that does not answer in time is unavailable', async () => {
    server.trouble.push('hang', 'hang', 'hang');
    await expect(whileTimePasses(clock, 1_000, blobs.get('org_1', digest))).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test('bytes that do not match their name are refused', async () => {
    server.objects.set(path, Buffer.from('other bytes'));
    await expect(blobs.get('org_1', digest)).rejects.toThrow(/do not match/);
  });

  test('wrong keys and a missing bucket are faults of the store, not missing blobs; wrong keys end a start', async () => {
    const wrongKey = new S3Blobs({ endpoint: server.endpoint, ...fakeS3Keys, secretKey: 'wrong', clock });
    await expect(wrongKey.get('org_1', digest)).rejects.toThrow(
      new StoreUnavailable('the S3 store answered 403 to GET SignatureDoesNotMatch'),
    );
    await expect(wrongKey.check()).rejects.toBeInstanceOf(StoreRefused);
    const wrongBucket = new S3Blobs({ endpoint: server.endpoint, ...fakeS3Keys, bucket: 'none', clock });
    await expect(wrongBucket.get('org_1', digest)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(wrongBucket.put('org_1', content)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(wrongBucket.check()).rejects.toBeInstanceOf(StoreUnavailable);
    await blobs.check();
    await Promise.all([wrongKey.close(), wrongBucket.close()]);
  });

  test('settings and names that cannot work are refused', async () => {
    expect(() => new S3Blobs({ endpoint: 'nowhere', ...fakeS3Keys, clock })).toThrow(/endpoint/);
    await expect(blobs.put('../other', content)).rejects.toThrow(/organization/);
  });
});
