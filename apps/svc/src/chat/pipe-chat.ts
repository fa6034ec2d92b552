import { createInterface } from 'node:readline';
import { Complaint, exitCodes, messageIn } from '../console/complaint.js';
import type { Io } from '../console/io.js';
import type { Conversation } from './conversation.js';
import type { Turn } from './turn-view.js';

/**
 * Sends each line of the input as a message, the next one after the answer to the one before, and prints the answers.
 *
 * Refuses  an agent that is not there, a turn that failed or was cancelled, and a question: no person is here to
 *          answer, so the turn is cancelled.
 */
export async function chatOverPipe(io: Io, conversation: Conversation): Promise<void> {
  const lines = createInterface({ input: io.input, crlfDelay: Infinity });
  let isInterrupted = false;
  const stop = () => {
    isInterrupted = true;
    if (conversation.isIdle) lines.close();
    conversation.cancel().catch((error: unknown) => {
      io.error.write(`${messageIn(error)}\n`);
      process.exit(exitCodes.failed);
    });
  };
  process.on('SIGINT', stop);
  try {
    for await (const line of lines) if (line.trim() !== '') await answerTo(line, io, conversation);
    if (conversation.id === null && !isInterrupted) await conversation.requireAgent();
  } finally {
    process.off('SIGINT', stop);
  }
  if (isInterrupted) throw new Complaint('it was interrupted');
}

async function answerTo(line: string, io: Io, conversation: Conversation): Promise<void> {
  const rows: string[] = [];
  const questions = new Map<string, string>();
  let asked: string | null = null;
  let cancelled: Promise<void> = Promise.resolve();
  const turn = await conversation.say(line, {
    text: () => undefined,
    row: (text) => rows.push(text),
    tool: () => undefined,
    toolFailed: () => undefined,
    question: ({ id, title }) => questions.set(id, title),
    waiting: ({ wait }) => {
      if (asked !== null || wait?.kind !== 'interaction') return;
      asked = questions.get(wait.interaction_id ?? '') ?? 'a question';
      cancelled = conversation.cancel();
      cancelled.catch(() => undefined); // awaited below, once the turn has ended
    },
  });
  await cancelled;
  if (asked !== null)
    throw new Complaint(`the agent asks "${asked as string}", and there is no terminal to answer in`, [
      'Next: svc chat in a terminal, where its questions are asked',
    ]);
  if (turn.status !== 'completed')
    throw new Complaint(`the turn ${turn.status === 'failed' ? 'failed' : `was ${turn.status}`}${reasonOf(turn)}`, [
      `Next: svc turns get ${conversation.id} ${turn.id}`,
    ]);
  io.out.write(
    rows
      .filter((row) => row !== '')
      .map((row) => `${row}\n`)
      .join(''),
  );
}

function reasonOf({ error_message: message }: Turn): string {
  return message === undefined ? '' : `: ${message}`;
}
