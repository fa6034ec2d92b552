import { Injectable } from '@nestjs/common';
import { Blobs, type Json, type JsonObject, type Refusal, utf8Beginning } from '@aos/kernel';
import type { ToolOutcome } from '@aos/sessions/published';

export type Outcome = Omit<ToolOutcome, 'tool_call_id'>;

/** Of the input and of what the model is given of the output (rule L18). */
export const toolBytesMax = 1024 * 1024;
/** Of an output at all. */
export const outputBytesMax = 8 * 1024 * 1024;

/** An error that the model can read. */
export function failed(code: string, message: string, details: JsonObject = {}): Outcome {
  const error: JsonObject = { code, message };
  if (Object.keys(details).length > 0) error.details = details;
  return { status: 'error', content: JSON.stringify({ error }), is_error: true };
}

export function refused({ code, message, details }: Refusal): Outcome {
  return failed(code, message, details);
}

/** Outputs as results. */
@Injectable()
export class ToolResults {
  constructor(private readonly blobs: Blobs) {}

  /**
   * Over 1 MiB the model is given the beginning, and the whole is kept as a blob. Fails over 8 MiB. Source: rule L18.
   */
  async of(orgId: string, output: Json): Promise<Outcome> {
    const text = JSON.stringify(output);
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length > outputBytesMax) return failed('output_too_large', `the output is over ${outputBytesMax} bytes`);
    if (bytes.length <= toolBytesMax) return { status: 'ok', content: text, is_error: false };
    const digest = await this.blobs.put(orgId, bytes);
    const note = `\n[cut: the output has ${bytes.length} bytes and is kept whole as blob ${digest}]`;
    const kept = utf8Beginning(bytes, toolBytesMax - note.length);
    return { status: 'ok', content: `${kept}${note}`, is_error: false };
  }
}
