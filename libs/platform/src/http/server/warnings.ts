import { wellFormed } from '@aos/kernel';
import type { FastifyReply } from 'fastify';

/** Rule G29. */
const warningsMax = 5;
const textCharactersMax = 200;

export interface Warning {
  code: string;
  text: string;
}

/** Says on the answer what was taken and will probably not do what was meant: `code text`, the text percent-encoded. */
export function warn(reply: FastifyReply, warnings: readonly Warning[]): void {
  if (warnings.length === 0) return;
  const said = warnings
    .slice(0, warningsMax)
    .map(({ code, text }) => `${code} ${encodeURIComponent(wellFormed(text.slice(0, textCharactersMax)))}`);
  reply.header('x-svc-warning', said.join(', '));
}
