import { isJsonObject, isNestedTooDeep, jsonDepthMax, outsideJson, type Json, type JsonObject } from '@aos/kernel';
import { isProgressSmall, progressBytesMax } from '@aos/sessions/published';
import { deltaBytesMax, listedMax, messageCharactersMax, nameCharactersMax } from './job/job.limits.js';
import type { JobStatus } from './job/job.events.js';

/** The work that a worker can do. Null: the worker did not say. */
export interface Capability {
  actionNames: readonly string[] | null;
  models: readonly { provider: string; model: string }[] | null;
  availableSlots: number | null;
}

export interface LeaseClaim {
  jobId: string;
  leaseToken: string;
}

/** A frame of a worker, with the members that the service uses (contract, `WorkerSocketFrame`). */
export type WorkerFrame = { messageId: string | null } & (
  | {
      type: 'worker.register';
      instanceId: string;
      sessionToken: string | null;
      name: string | null;
      version: string | null;
      concurrencyLimit: number | null;
      capability: Capability;
      ignored: string[];
    }
  | { type: 'worker.ready'; capability: Capability }
  | { type: 'jobs.claim'; capability: Capability }
  | ({ type: 'job.heartbeat' } & LeaseClaim)
  | ({ type: 'job.progress'; progress: JsonObject } & LeaseClaim)
  | ({
      type: 'job.report';
      status: JobStatus;
      result: JsonObject | null;
      errorType: string | null;
      errorMessage: string | null;
    } & LeaseClaim)
  | ({ type: 'generation.delta'; sequence: number; delta: JsonObject } & LeaseClaim)
  | { type: 'worker.draining' | 'keepalive' | 'unknown' }
);

export interface FrameFault {
  fault: string;
  messageId: string | null;
}

const registerMembers = [
  'type',
  'message_id',
  'worker_instance_id',
  'worker_session_token',
  'name',
  'version',
  'concurrency_limit',
  'available_slots',
  'action_names',
  'models',
];
const modelMembers = ['provider', 'model'];
const ignoredMax = 20;
/** Levels of a frame that is not taken, up to which its id is looked for. */
const faultyLevelsMax = 1_000;
const notTaken = `a frame is a JSON object of at most ${jsonDepthMax} levels, without __proto__ and numbers over 1e308`;

class Fault extends Error {}

/**
 * Reads one message.
 *
 * Gives    the frame; `unknown` for a type that this code does not know; a fault for what breaks the contract.
 * Units    limits in characters, list entries and bytes.
 */
export function readFrame(text: string): WorkerFrame | FrameFault {
  const frame = outsideJson(text);
  if (!isJsonObject(frame)) return { fault: notTaken, messageId: messageIdIn(text) };
  const messageId = messageIdOf(frame);
  try {
    return { messageId, ...read(frame) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message, messageId };
    throw error;
  }
}

function messageIdOf({ message_id: id }: JsonObject): string | null {
  return typeof id === 'string' && id.length <= nameCharactersMax ? id : null;
}

/** Of a text that is no frame: a worker frees a claim by the `message_id` of its error (rule C42). */
function messageIdIn(text: string): string | null {
  if (isNestedTooDeep(Buffer.from(text), faultyLevelsMax)) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? messageIdOf(value) : null;
  } catch {
    return null; // no JSON
  }
}

function read(
  frame: JsonObject,
): WorkerFrame extends infer F ? (F extends WorkerFrame ? Omit<F, 'messageId'> : never) : never {
  const { type } = frame;
  switch (type) {
    case 'worker.register':
      return {
        type,
        instanceId: name(frame, 'worker_instance_id'),
        sessionToken: text(frame, 'worker_session_token'),
        name: text(frame, 'name'),
        version: text(frame, 'version'),
        concurrencyLimit: whole(frame, 'concurrency_limit', 1),
        capability: capability(frame),
        ignored: ignoredIn(frame),
      };
    case 'worker.ready':
      return { type, capability: capability(frame) };
    case 'jobs.claim':
      return { type, capability: capability(frame) };
    case 'job.heartbeat':
      return { type, ...lease(frame) };
    case 'job.progress': {
      const progress = object(frame, 'progress');
      if (!progress || !isProgressSmall(progress))
        throw new Fault(`progress is an object of at most ${progressBytesMax} bytes`);
      return { type, ...lease(frame), progress };
    }
    case 'job.report':
      return {
        type,
        ...lease(frame),
        status: status(frame),
        result: object(frame, 'result'),
        errorType: text(frame, 'error_type') || null,
        errorMessage:
          typeof frame.error_message === 'string' ? wholeCharacters(frame.error_message, messageCharactersMax) : null,
      };
    case 'generation.delta': {
      const delta = object(frame, 'delta');
      const sequence = whole(frame, 'sequence', 0);
      if (!delta || sequence === null) throw new Fault('delta and sequence are required');
      if (JSON.stringify(delta).length > deltaBytesMax) throw new Fault(`delta is over ${deltaBytesMax} bytes`);
      return { type, ...lease(frame), sequence, delta };
    }
    case 'worker.draining':
    case 'keepalive':
      return { type };
    default:
      if (typeof type !== 'string') throw new Fault('type is required');
      return { type: 'unknown' };
  }
}

/** Pointers to what a registration has and nothing here reads (rule G29). */
function ignoredIn(frame: JsonObject): string[] {
  const models = Array.isArray(frame.models) ? frame.models : [];
  const unread = (value: Json, known: readonly string[], at: string) =>
    (isJsonObject(value) ? Object.keys(value) : [])
      .filter((member) => !known.includes(member))
      .map((member) => `${at}/${pointerPart(member).slice(0, nameCharactersMax)}`);
  return [
    ...unread(frame, registerMembers, ''),
    ...models.flatMap((model, index) => unread(model, modelMembers, `/models/${index}`)),
  ].slice(0, ignoredMax);
}

function pointerPart(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1');
}

function lease(frame: JsonObject): LeaseClaim {
  return { jobId: name(frame, 'job_id'), leaseToken: name(frame, 'lease_token') };
}

function capability(frame: JsonObject): Capability {
  const models = list(frame, 'models');
  return {
    actionNames:
      list(frame, 'action_names')?.map((entry) => {
        if (typeof entry !== 'string' || entry.length > nameCharactersMax)
          throw new Fault(`action_names is a list of texts of at most ${nameCharactersMax} characters`);
        return entry;
      }) ?? null,
    models:
      models?.map((entry) => {
        if (!isJsonObject(entry)) throw new Fault('models is a list of objects');
        return { provider: name(entry, 'provider'), model: name(entry, 'model') };
      }) ?? null,
    availableSlots: whole(frame, 'available_slots', 0),
  };
}

function status({ status: given = 'completed' }: JsonObject): JobStatus {
  if (given !== 'completed' && given !== 'failed' && given !== 'cancelled')
    throw new Fault('status is completed, failed or cancelled');
  return given;
}

function name(frame: JsonObject, member: string): string {
  const value = text(frame, member);
  if (value === null || value === '') throw new Fault(`${member} is required`);
  return value;
}

function text(frame: JsonObject, member: string): string | null {
  const value = frame[member];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > nameCharactersMax)
    throw new Fault(`${member} is a text of at most ${nameCharactersMax} characters`);
  return value;
}

/** The beginning of a text, without a last character that would be cut in two. */
function wholeCharacters(text: string, unitsMax: number): string {
  return text.slice(0, unitsMax).replace(text.length > unitsMax ? /[\ud800-\udbff]$/ : '', '');
}

function whole(frame: JsonObject, member: string, least: number): number | null {
  const value = frame[member];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    throw new Fault(`${member} is a whole number from ${least}`);
  return value;
}

function object(frame: JsonObject, member: string): JsonObject | null {
  const value = frame[member];
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) throw new Fault(`${member} is an object`);
  return value;
}

function list(frame: JsonObject, member: string): Json[] | null {
  const value = frame[member];
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || value.length > listedMax) throw new Fault(`${member} is a list of at most ${listedMax}`);
  return value;
}
