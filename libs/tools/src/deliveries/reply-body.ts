import type { EgressResponse, OpenedResponse } from '@aos/kernel';
import type { ReportProgress } from '@aos/sessions/published';
import { isProgressReply, progressIn } from './action-reply.decide.js';

/**
 * Gives the whole reply. Of one that reports progress the body is its last line; the lines before are reported as they
 * come (rule TE80).
 */
export async function wholeReply({ body, ...head }: OpenedResponse, report: ReportProgress): Promise<EgressResponse> {
  if (!isProgressReply(head)) return { ...head, body: await gathered(body) };
  let last = '';
  for await (const line of linesOf(body)) {
    if (line.trim() === '') continue;
    last = line;
    const progress = progressIn(line);
    if (progress) report(progress);
  }
  return { ...head, body: Buffer.from(last) };
}

async function gathered(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
  }
  yield rest + decoder.decode();
}
