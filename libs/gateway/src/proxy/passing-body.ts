import { PassThrough, type Readable } from 'node:stream';

/** What lies between a sender and its service. */
const heldBytesMax = 64 * 1024;

/**
 * A body that goes on to a service as it comes, at the pace of the service (rule TE2).
 *
 * The service may answer before it has all of it: what is given here is destroyed then, and the sender is not, so that
 * it can be answered.
 */
export function passingBody(body: Readable): Readable {
  const passing = new PassThrough({ highWaterMark: heldBytesMax });
  const broken = (): void => {
    if (!body.readableEnded) passing.destroy(new Error('the sender left'));
  };
  passing.on('error', () => undefined); // given to who sends it on, once there is one
  body.once('error', broken).once('close', broken);
  passing.once('close', () => {
    body.off('error', broken).off('close', broken);
    body.on('error', () => undefined); // a sender that leaves after its answer is no fault
    body.unpipe(passing);
  });
  body.pipe(passing);
  return passing;
}
