import type { Complaint } from '../console/complaint.js';
import { strangerComplaint, unreachableComplaint } from './complaints.js';
import type { Connection } from './connection.js';

/** An answer with what the client does not hand out: its status, its time, and whether this service gave it. */
export type Probe =
  | { ok: true; status: number; body: unknown; date: number | null; receivedAt: number }
  | { ok: false; complaint: Complaint };

const answerMs = 10_000;

/** Asks for a path of the service that needs no key. */
export async function probe(connection: Connection, path: string): Promise<Probe> {
  try {
    const answer = await fetch(`${connection.url}${path}`, {
      signal: AbortSignal.timeout(answerMs),
      redirect: 'manual',
    });
    const receivedAt = Date.now();
    const body = jsonOr(await answer.text());
    if (typeof body !== 'object' || body === null || !('status' in body))
      return {
        ok: false,
        complaint: strangerComplaint(connection, `GET ${path} gives ${answer.status} without a state`),
      };
    const date = Date.parse(answer.headers.get('date') ?? '');
    return { ok: true, status: answer.status, body, date: Number.isNaN(date) ? null : date, receivedAt };
  } catch (error) {
    return { ok: false, complaint: unreachableComplaint(error, connection) };
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
