import { ModelFailure } from '@aos/kernel';
import { Response } from 'undici';

/** Bytes of an answer as it is read, unpacked. Providers write some 300 bytes around each token. */
const answerBytesMax = 256 * 1024 * 1024;
/** Of these, so many without the end of a line: a line is held whole. */
const lineBytesMax = 16 * 1024 * 1024;
/** Of what stands in for an answer that was refused: the rest is not read. */
const refusalBytesMax = 64 * 1024;
const lineEnd = 0x0a;

/** Bounds what an endpoint answers: the packages that read it hold a refusal and each line whole, however long. */
export function boundedResponse(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (!body) return response;
  const bounded = body.pipeThrough(response.ok ? ofAnswer() : ofRefusal());
  return new Response(bounded, { status, statusText, headers });
}

function ofAnswer(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      const end = chunk.lastIndexOf(lineEnd);
      lineBytes = end < 0 ? lineBytes + chunk.length : chunk.length - end - 1;
      if (bytes > answerBytesMax || lineBytes > lineBytesMax)
        controller.error(new ModelFailure('the answer of the provider has no end', false));
      else controller.enqueue(chunk);
    },
  });
}

function ofRefusal(): TransformStream<Uint8Array, Uint8Array> {
  let room = refusalBytesMax;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, room));
      room -= chunk.length;
      if (room <= 0) controller.terminate();
    },
  });
}
