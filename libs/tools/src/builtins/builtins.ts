import { Injectable } from '@nestjs/common';
import { SchemaChecker, type CatalogAction } from '@aos/definitions/published';
import { Clock, Refusal, rfc3339, viewersOf, type Identity, type JsonObject, type Viewer } from '@aos/kernel';
import { Contract } from '@aos/platform';
import type { Dispatched } from '@aos/sessions/published';
import { noFacts, notCarried, type Carried } from '../deliveries/carried.js';
import { InvocationRecords } from '../records/invocation-records.js';
import { ToolResults, failed } from '../deliveries/tool-result.js';
import type { BuiltinAnswer, BuiltinCall, BuiltinTool, DirectTool } from './builtin-call.js';
import { builtinOperations } from './builtin-operations.js';
import { InteractionTools } from './interaction-tools.js';
import { MemoryTools } from './memory-tools.js';
import { SkillTools } from './skill-tools.js';
import { TableTools } from './table-tools.js';

/** Carries built-in actions out. */
@Injectable()
export class Builtins {
  private readonly tools: Readonly<Record<string, BuiltinTool>>;
  private readonly directTools: Readonly<Record<string, DirectTool>>;
  /** By action: permission of the REST operation that does the same. */
  private readonly permissions: ReadonlyMap<string, string>;

  constructor(
    tables: TableTools,
    memory: MemoryTools,
    interactions: InteractionTools,
    skills: SkillTools,
    private readonly schemas: SchemaChecker,
    private readonly results: ToolResults,
    private readonly records: InvocationRecords,
    private readonly clock: Clock,
    contract: Contract,
  ) {
    this.tools = { ...tables.tools, ...memory.tools, ...interactions.tools, ...skills.tools };
    this.directTools = { ...tables.tools, ...interactions.directTools };
    this.permissions = new Map(Object.keys(this.tools).map((name) => [name, permissionOf(contract, name)]));
  }

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
    return Object.hasOwn(this.directTools, actionName);
  }

  /**
   * One call outside a turn, with an input that fits the schema. Throws `StoreUnavailable`: a repeat of the call then
   * has its effect once.
   */
  async runDirect(actionName: string, who: Identity, input: JsonObject, deliveryId: string): Promise<Carried> {
    const tool = Object.hasOwn(this.directTools, actionName) ? this.directTools[actionName] : undefined;
    if (!tool) return notCarried('action_not_ready', `${actionName} is called by agents only`);
    return carriedOf(
      await answered(() => {
        this.requirePermission(actionName, who);
        return tool({ who, input, call: { delivery_id: deliveryId } });
      }),
    );
  }

  private async answer(action: CatalogAction, call: BuiltinCall): Promise<BuiltinAnswer | Refused> {
    const tool = Object.hasOwn(this.tools, action.name) ? this.tools[action.name] : undefined;
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
      this.requirePermission(action.name, call.who);
      return tool(call);
    });
  }

  /** The caller does what it may (rules A21, A32); whom it acts for must at least see what is there (rule A33). */
  private requirePermission(actionName: string, who: Identity): void {
    const [self, ...actsFor] = viewersOf(who);
    const needed = this.permissions.get(actionName) ?? '';
    const lacks = !holds(self, needed)
      ? needed
      : actsFor.every((viewer) => holds(viewer, basePermission))
        ? null
        : basePermission;
    if (lacks !== null) throw new Refusal('permission_denied', { permission: lacks }, `${actionName} needs ${lacks}`);
  }
}

const basePermission = 'svc.resource.view';

function holds(viewer: Viewer | undefined, permission: string): boolean {
  return viewer !== undefined && (viewer.permissions as ReadonlySet<string>).has(permission);
}

/** A built-in action without an operation, or one whose operation needs no permission, does not start. */
function permissionOf(contract: Contract, actionName: string): string {
  const { permission } = contract.operation(builtinOperations[actionName] ?? actionName);
  if (permission === null) throw new Error(`${actionName} has no permission`);
  return permission;
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
