import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../ids.js';
import { uniqueName } from '../testing/eventually.js';
import type { Blobs } from './blobs.js';

const deadlineMs = 180_000;

/** The Blobs port's suite. Takes how an adapter is opened; every test uses organizations of its own. */
export function blobsContract(name: string, open: () => Promise<{ blobs: Blobs; close(): Promise<void> }>): void {
  describe(`Blobs: ${name}`, () => {
    let opened: { blobs: Blobs; close(): Promise<void> };
    const blobs = () => opened.blobs;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    test(
      'gives the bytes back under their digest, small, empty and large',
      async () => {
        const org = uniqueName('org_');
        for (const bytes of [randomBytes(10), new Uint8Array(0), randomBytes(3 * 1024 * 1024)]) {
          const digest = await blobs().put(org, bytes);
          expect(digest).toBe(sha256Hex(bytes));
          expect(Buffer.compare(Buffer.from((await blobs().get(org, digest))!), Buffer.from(bytes))).toBe(0);
        }
      },
      deadlineMs,
    );

    test(
      'the same bytes put many times at once are one blob',
      async () => {
        const org = uniqueName('org_');
        const bytes = randomBytes(100_000);
        const digests = await Promise.all(Array.from({ length: 8 }, () => blobs().put(org, bytes)));
        expect(new Set(digests).size).toBe(1);
        expect(Buffer.from((await blobs().get(org, digests[0]!))!).equals(bytes)).toBe(true);
      },
      deadlineMs,
    );

    test(
      "no organization reads another's",
      async () => {
        const [mine, other] = [uniqueName('org_'), uniqueName('org_')];
        const digest = await blobs().put(mine, randomBytes(10));
        expect(await blobs().get(other, digest)).toBeNull();
        expect(await blobs().get(mine, sha256Hex('nothing like it'))).toBeNull();
      },
      deadlineMs,
    );

    test(
      'a blob that was removed is gone, for its organization only, and can be put again',
      async () => {
        const [mine, other] = [uniqueName('org_'), uniqueName('org_')];
        const [bytes, kept] = [randomBytes(1000), randomBytes(1000)];
        const digest = await blobs().put(mine, bytes);
        const keptDigest = await blobs().put(mine, kept);
        await blobs().put(other, bytes);
        await blobs().remove(mine, digest);
        await blobs().remove(mine, digest);
        expect(await blobs().get(mine, digest)).toBeNull();
        expect(await blobs().get(mine, keptDigest)).not.toBeNull();
        expect(await blobs().get(other, digest)).not.toBeNull();
        expect(await blobs().put(mine, bytes)).toBe(digest);
        expect(Buffer.from((await blobs().get(mine, digest))!).equals(bytes)).toBe(true);
      },
      deadlineMs,
    );

    test(
      'text that is no digest removes nothing',
      async () => {
        const [mine, other] = [uniqueName('org_'), uniqueName('org_')];
        const digest = await blobs().put(other, randomBytes(10));
        for (const text of ['', '..', `../${other}/${digest}`, `../${other}/${digest.slice(0, 2)}/${digest}`])
          await blobs().remove(mine, text);
        expect(await blobs().get(other, digest)).not.toBeNull();
      },
      deadlineMs,
    );

    test(
      'text that is no digest finds nothing',
      async () => {
        const [mine, other] = [uniqueName('org_'), uniqueName('org_')];
        const digest = await blobs().put(other, randomBytes(10));
        for (const text of [
          '',
          '..',
          `../${other}/${digest}`,
          `../${other}/${digest.slice(0, 2)}/${digest}`,
          digest.toUpperCase(),
          '/etc/passwd',
        ]) {
          expect(await blobs().get(mine, text)).toBeNull();
        }
      },
      deadlineMs,
    );
  });
}
