import { Injectable } from '@nestjs/common';
import { SchemaChecker, type CatalogAction } from '@aos/definitions/published';
import { Refusal } from '@aos/kernel';
import type { Dispatched } from '@aos/sessions/published';
import { ToolResults, failed, refused } from '../tool-result.js';
import type { BuiltinCall, BuiltinTool } from './builtin-call.js';
import { InteractionTools } from './interaction-tools.js';
import { MemoryTools } from './memory-tools.js';
import { SkillTools } from './skill-tools.js';
import { TableTools } from './table-tools.js';

/** Carries built-in actions out. */
@Injectable()
export class Builtins {
  private readonly tools: Readonly<Record<string, BuiltinTool>>;

  constructor(
    tables: TableTools, memory: MemoryTools, interactions: InteractionTools, skills: SkillTools,
    private readonly schemas: SchemaChecker, private readonly results: ToolResults,
  ) {
    this.tools = { ...tables.tools, ...memory.tools, ...interactions.tools, ...skills.tools };
  }

  /** A refusal becomes an error that the model reads; `StoreUnavailable` passes: the call is tried again later under its delivery id. */
  async run(action: CatalogAction, call: BuiltinCall): Promise<Dispatched> {
    const tool = Object.hasOwn(this.tools, action.name) ? this.tools[action.name] : undefined;
    if (!tool) return { outcome: failed('action_not_ready', `${action.name} cannot be called`) };
    const fault = action.input_schema ? await this.schemas.fault(action.input_schema, call.input) : null;
    if (fault) return { outcome: failed('invalid_argument', `the input does not fit at ${fault.path || '/'}: ${fault.message}`) };
    try {
      const answer = await tool(call);
      if ('wait' in answer) return answer;
      return { outcome: { ...(await this.results.of(call.who.orgId, answer.output)), ...answer.more } };
    } catch (error) {
      if (error instanceof Refusal) return { outcome: refused(error) };
      throw error;
    }
  }
}
