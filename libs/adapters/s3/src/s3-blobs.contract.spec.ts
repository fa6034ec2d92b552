import { ManualClock } from '@aos/kernel/testing';
import { blobsContract } from '@aos/kernel/contracts';
import { S3Blobs } from './index.js';
import { FakeS3, fakeS3Keys } from './testing/fake-s3.js';

const real = process.env['SVC_S3_ENDPOINT'];

if (real) {
  blobsContract(`S3 at ${real}`, async () => {
    const setting = (name: string) => {
      const value = process.env[name];
      if (!value) throw new Error(`${name} is not set`);
      return value;
    };
    const blobs = new S3Blobs({
      endpoint: real,
      bucket: setting('SVC_S3_BUCKET'),
      region: process.env['SVC_S3_REGION'] ?? 'us-east-1',
      accessKey: setting('SVC_S3_ACCESS_KEY'),
      secretKey: setting('SVC_S3_SECRET_KEY'),
      clock: new ManualClock(),
    });
    await blobs.check();
    return { blobs, close: () => blobs.close() };
  });
} else {
  blobsContract('S3 protocol server in this process (no SVC_S3_ENDPOINT)', async () => {
    const server = await FakeS3.start();
    const blobs = new S3Blobs({ endpoint: server.endpoint, ...fakeS3Keys, clock: new ManualClock() });
    return {
      blobs,
      close: async () => {
        await blobs.close();
        await server.stop();
      },
    };
  });
}
