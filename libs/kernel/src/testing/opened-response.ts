import type { EgressResponse, OpenedResponse } from '../ports/egress.js';

/** An answer whose body comes in one piece. */
export function openedResponse({ body, ...head }: EgressResponse): OpenedResponse {
  return { ...head, body: onePiece(body) };
}

async function* onePiece(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
