import { Injectable } from '@nestjs/common';
import { Refusal, badRequest, notFound, type Identity, type JsonObject } from '@aos/kernel';
import { permissionDenied } from '@aos/platform';
import { Execution, executePermissionOf } from '@aos/access/published';
import { ActionCatalog, SchemaChecker, shownTo, type CatalogAction } from '@aos/definitions/published';
import { ActionCarrier } from './action-carrier.js';

/** Which actions a caller may invoke, with which input, and whether they can be carried out now. */
@Injectable()
export class CallableActions {
  constructor(
    private readonly catalog: ActionCatalog,
    private readonly execution: Execution,
    private readonly schemas: SchemaChecker,
    private readonly carrier: ActionCarrier,
  ) {}

  /** The action within reach, and the permission to execute it (rules G13, A19). */
  async callable(who: Identity, actionName: string): Promise<CatalogAction> {
    const action = await this.catalog.action(who.orgId, actionName);
    if (!action || !shownTo(action, who)) throw notFound('action');
    await this.requireExecution(who, actionName);
    return action;
  }

  async requireExecution(who: Identity, actionName: string): Promise<void> {
    if (!(await this.execution.mayExecute(who, actionName))) throw permissionDenied(executePermissionOf(actionName));
  }

  /** Refuses `bad_request` for an input that the action's schema does not allow. */
  async requireFit(who: Identity, { input_schema: schema, source }: CatalogAction, input: JsonObject): Promise<void> {
    if (!schema) return;
    const fault = await (source === 'platform'
      ? this.schemas.ownFault(schema, input, who)
      : this.schemas.fault(schema, input, who));
    if (fault) throw badRequest([{ path: `/input${fault.path}`, message: fault.message }]);
  }

  /** Refuses `action_not_ready` {readiness_reason} while the action cannot be carried out. */
  async requireReady(orgId: string, action: CatalogAction): Promise<void> {
    const reason = await this.carrier.unready(orgId, action);
    if (reason !== null)
      throw new Refusal(
        'action_not_ready',
        { readiness_reason: reason },
        `${action.name} cannot be called now: ${reason.replaceAll('_', ' ')}`,
      );
  }
}
