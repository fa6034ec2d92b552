import { Injectable } from '@nestjs/common';
import { SchemaChecker, type CatalogAction } from '@aos/definitions/published';
import { Clock, Refusal, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import type { Dispatched } from '@aos/sessions/published';
import { noFacts, notCarried, type Carried } from '../deliveries/carried.js';
import { InvocationRecords } from '../records/invocation-records.js';
import { ToolResults, failed } from '../deliveries/tool-result.js';
import type { BuiltinAnswer, BuiltinCall } from './builtin-call.js';
import { BuiltinTools } from './builtin-tools.js';

/** Carries built-in actions out. */
@Injectable()
export class Builtins {
  constructor(
    private readonly tools: BuiltinTools,
    private readonly schemas: SchemaChecker,
    private readonly results: ToolResults,
    private readonly records: InvocationRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * A refusal becomes an error that the model reads; `StoreUnavailable` passes: the call is tried again later under its
   * delivery id.
   */
  async run(action: CatalogAction, call: BuiltinCall): Promise<Dispatched> {
    const startedAt = rfc3339(this.clock.now());
    const answer = await this.answer(action, call);
    if ('wait' in answer) return answer;
    const {
      who,
      context,
      call: { delivery_id: deliveryId, tool_call_id: toolCallId },
      input,
    } = call;
    const by = {
      agent_id: who.principalId,
      session_id: context.sessionId,
      turn_id: context.turn.turn.id,
      tool_call_id: toolCallId,
    };
    await this.records.builtinCall({ orgId: who.orgId, by, deliveryId, input, startedAt }, action, carriedOf(answer));
    if ('error' in answer) return { outcome: failed(answer.error.code, answer.error.message, answer.error.details) };
    return { outcome: { ...(await this.results.of(who.orgId, answer.output)), ...answer.more } };
  }

  /** Whether the action can be called outside a turn: it needs nothing of a session. */
  isDirect(actionName: string): boolean {
    return this.tools.direct(actionName) !== undefined;
  }

  /**
   * One call outside a turn, with an input that fits the schema. Throws `StoreUnavailable`: a repeat of the call then
   * has its effect once.
   */
  async runDirect(actionName: string, who: Identity, input: JsonObject, deliveryId: string): Promise<Carried> {
    const tool = this.tools.direct(actionName);
    if (!tool) return notCarried('action_not_ready', `${actionName} is called by agents only`);
    return carriedOf(
      await answered(() => {
        this.tools.requirePermission(actionName, who);
        return tool({ who, input, call: { delivery_id: deliveryId } });
      }),
    );
  }

  private async answer(action: CatalogAction, call: BuiltinCall): Promise<BuiltinAnswer | Refused> {
    const tool = this.tools.ofTurns(action.name);
    if (!tool) return { error: { code: 'action_not_ready', message: `${action.name} cannot be called`, details: {} } };
    const fault = action.input_schema ? await this.schemas.ownFault(action.input_schema, call.input, call.who) : null;
    if (fault)
      return {
        error: {
          code: 'invalid_argument',
          message: `the input does not fit at ${fault.path || '/'}: ${fault.message}`,
          details: {},
        },
      };
    return answered(() => {
      this.tools.requirePermission(action.name, call.who);
      return tool(call);
    });
  }
}

interface Refused {
  error: { code: string; message: string; details: JsonObject };
}

async function answered<Answer>(carryOut: () => Promise<Answer>): Promise<Answer | Refused> {
  try {
    return await carryOut();
  } catch (error) {
    if (error instanceof Refusal)
      return { error: { code: error.code, message: error.message, details: error.details } };
    throw error;
  }
}

function carriedOf(answer: { output: JsonObject } | Refused): Carried {
  if ('error' in answer) return { answer, facts: noFacts };
  return { answer: { output: answer.output, context: [] }, facts: noFacts };
}
