import { createHmac, randomBytes } from 'node:crypto';
import type { CommandContext } from '../context/command-context.js';
import { checkedUrl } from '../connection/connection.js';
import { profilesPath, readProfiles, writeProfiles } from '../connection/profiles.js';
import type { Frame } from '../connection/service.js';
import { messageIn } from '../console/complaint.js';
import { shownOnLine } from '../console/text.js';

const secretBytes = 32;
const secretPrefix = 'whsec_';
const answerMs = 15_000;

/** Hands each event on to the address before it gives it to its own reader; what fails there is said, not repeated. */
export async function* forwardEvents(
  context: CommandContext,
  events: AsyncIterable<Frame>,
  to: string,
): AsyncGenerator<Frame, void, undefined> {
  const url = checkedUrl(to, '--forward-to');
  const secret = signingSecret(context);
  context.say(`Signing secret of this machine: ${secret}`);
  for await (const frame of events) {
    if (isEvent(frame)) context.say(await handOver(frame, url, secret));
    yield frame;
  }
}

type EventFrame = { data: { event_type: string; meta: { id: string } } };

function isEvent(frame: Frame): frame is Frame & EventFrame {
  return typeof (frame.data as Partial<EventFrame['data']>).meta?.id === 'string';
}

/** Made once and kept with the profiles, so that a receiver keeps the same one. */
function signingSecret({ io }: CommandContext): string {
  const path = profilesPath(io.env);
  const kept = readProfiles(path);
  if (kept.webhook_secret !== undefined) return kept.webhook_secret;
  const secret = `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`;
  writeProfiles(path, { ...kept, webhook_secret: secret });
  return secret;
}

/**
 * The headers of a web hook: id, time and signature over both and the body.
 *
 * Takes    the id of the event, seconds since 1970, the body as it is sent, and the secret (`whsec_` and base64).
 * Source   the scheme of Standard Webhooks, version 1.
 */
export function signedHeaders(id: string, seconds: number, body: string, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}

async function handOver({ data }: EventFrame, url: string, secret: string): Promise<string> {
  const body = JSON.stringify(data);
  const headers = signedHeaders(data.meta.id, Math.floor(Date.now() / 1000), body, secret);
  const label = `${shownOnLine(data.event_type)} ${shownOnLine(data.meta.id)}`;
  const started = performance.now();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMs),
    });
    await answer.arrayBuffer();
    return `-> ${answer.status} ${label} (${Math.round(performance.now() - started)} ms)`;
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return `-> failed ${label}: ${messageIn(cause ?? error)}`;
  }
}
