import { Injectable } from '@nestjs/common';
import { badRequest, type JsonObject } from '@aos/kernel';
import { AgentFiles, readBytesMax, type AgentSession } from '@aos/artifacts/published';
import { answering, type BuiltinCall, type BuiltinFamily } from './builtin-call.js';

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Bytes of a character that a cut can leave at the end of a part. */
const cutBytesMax = 3;

/** `svc.artifact.*`, on files of the session that the agent is in (rule TE9). */
@Injectable()
export class ArtifactTools implements BuiltinFamily {
  constructor(private readonly files: AgentFiles) {}

  readonly tools = {
    'svc.artifact.save': answering((call: BuiltinCall) => this.save(call)),
    'svc.artifact.read': answering((call: BuiltinCall) => this.read(call)),
  };

  private async save(call: BuiltinCall): Promise<JsonObject> {
    const { name, mime } = call.input;
    const artifact = await this.files.save(sessionOf(call), {
      deliveryId: call.call.delivery_id,
      name: String(name),
      mime: mime === undefined ? null : String(mime),
      bytes: bytesIn(call.input),
    });
    return { artifact };
  }

  /** The part as text when it is text, up to its last whole character; else in base64. */
  private async read(call: BuiltinCall): Promise<JsonObject> {
    const { artifact_id: artifactId, offset: from = 0, length = readBytesMax } = call.input;
    const offset = Number(from);
    const { artifact, bytes } = await this.files.read(sessionOf(call), String(artifactId), {
      offset,
      length: Number(length),
    });
    const isLast = offset + bytes.length >= artifact.size_bytes;
    const text = textOf(bytes, isLast);
    const read = text === null ? bytes.length : Buffer.byteLength(text);
    return {
      artifact,
      offset,
      length: read,
      ...(text === null ? { base64: bytes.toString('base64') } : { text }),
      ...(isLast ? {} : { next_offset: offset + read }),
    };
  }
}

function sessionOf({ who, context }: BuiltinCall): AgentSession {
  return { who, sessionId: context.sessionId };
}

function bytesIn({ text, base64 }: JsonObject): Buffer {
  if ((text === undefined) === (base64 === undefined))
    throw badRequest([{ path: '/text', message: 'text or base64, one of them' }]);
  if (text !== undefined) return Buffer.from(String(text), 'utf8');
  const encoded = String(base64);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 === 1)
    throw badRequest([{ path: '/base64', message: 'must be base 64' }]);
  return Buffer.from(encoded, 'base64');
}

/** Null: these bytes are no text. */
function textOf(bytes: Buffer, isLast: boolean): string | null {
  for (let cut = 0; cut <= (isLast ? 0 : Math.min(cutBytesMax, bytes.length - 1)); cut += 1) {
    const part = bytes.subarray(0, bytes.length - cut);
    try {
      const text = strictText.decode(part);
      return text.includes('\0') ? null : text;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // no whole characters up to here
    }
  }
  return null;
}
