import { Injectable } from '@nestjs/common';
import { badRequest, jsonObjectIn, type Identity, type Json, type JsonObject, type ModelTool } from '@aos/kernel';
import { SchemaChecker } from '@aos/definitions/published';
import type { Block, ToolOutcome } from '../session/session.events.js';

/** Name of the tool that takes a turn's structured output (rule T28). */
export const submitOutputTool = 'svc_submit_output';

/** A turn's structured output: the tool that takes it, and the last answer's text as the other way. */
@Injectable()
export class OutputContract {
  constructor(private readonly schemas: SchemaChecker) {}

  /**
   * Refuses bad_request for a schema that has no object at its root, refers elsewhere, or does not compile (rule L17).
   */
  async require(who: Identity, schema: JsonObject | undefined): Promise<void> {
    if (!schema) return;
    if (schema.type !== 'object') throw badRequest([{ path: '/output/schema/type', message: 'must be "object"' }]);
    if (refers(schema)) throw badRequest([{ path: '/output/schema', message: 'must not use $ref' }]);
    await this.schemas.require(schema, '/output/schema', who);
  }

  tool(schema: JsonObject): ModelTool {
    return {
      name: submitOutputTool,
      description: 'Submits the result of this task. Call it once, with the complete result.',
      input_schema: schema,
    };
  }

  /** The result of a submission for the model; an accepted one carries the output. */
  async submit(orgId: string, schema: JsonObject, input: JsonObject): Promise<Omit<ToolOutcome, 'tool_call_id'>> {
    const fault = await this.schemas.fault(schema, input, { orgId });
    if (!fault) return { status: 'ok', content: 'The output was accepted.', is_error: false, output: input };
    return {
      status: 'error',
      content: `The output does not fit its schema at ${fault.path || '/'}: ${fault.message}`,
      is_error: true,
    };
  }

  /** The answer's text as output: the text is JSON, alone or in a code fence. */
  async fromText(
    orgId: string,
    schema: JsonObject,
    content: readonly Block[],
  ): Promise<{ value: JsonObject } | { unmet: string }> {
    const text = content
      .flatMap((block) => (block.type === 'text' ? [String(block.text)] : []))
      .join('')
      .trim();
    const value = jsonObjectIn(text.replace(/^```(?:json)?\s*\n([\s\S]*?)\n?```$/, '$1'));
    if (value === null) return { unmet: 'the answer holds no JSON object' };
    const fault = await this.schemas.fault(schema, value, { orgId });
    return fault
      ? { unmet: `the answer does not fit the schema at ${fault.path || '/'}: ${fault.message}` }
      : { value };
  }
}

function refers(node: Json): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if (!Array.isArray(node) && typeof node['$ref'] === 'string') return true; // not a property of that name
  return (Array.isArray(node) ? node : Object.values(node)).some(refers);
}
