import { Injectable } from '@nestjs/common';
import { Refusal, viewersOf, type Identity, type Viewer } from '@aos/kernel';
import { Contract } from '@aos/platform';
import { ArtifactTools } from './artifact-tools.js';
import type { BuiltinTool, DirectTool } from './builtin-call.js';
import { builtinOperations } from './builtin-operations.js';
import { InteractionTools } from './interaction-tools.js';
import { MemoryTools } from './memory-tools.js';
import { SkillTools } from './skill-tools.js';
import { TableTools } from './table-tools.js';

const basePermission = 'svc.resource.view';

/** The built-in actions by name: what carries each out, and the permission that it needs. */
@Injectable()
export class BuiltinTools {
  private readonly tools: Readonly<Record<string, BuiltinTool>>;
  private readonly directTools: Readonly<Record<string, DirectTool>>;
  /** By action: permission of the REST operation that does the same. */
  private readonly permissions: ReadonlyMap<string, string>;

  constructor(
    tables: TableTools,
    memory: MemoryTools,
    interactions: InteractionTools,
    skills: SkillTools,
    artifacts: ArtifactTools,
    contract: Contract,
  ) {
    this.tools = { ...tables.tools, ...memory.tools, ...interactions.tools, ...skills.tools, ...artifacts.tools };
    this.directTools = { ...tables.tools, ...interactions.directTools };
    this.permissions = new Map(Object.keys(this.tools).map((name) => [name, permissionOf(contract, name)]));
  }

  ofTurns(actionName: string): BuiltinTool | undefined {
    return Object.hasOwn(this.tools, actionName) ? this.tools[actionName] : undefined;
  }

  /** Those that need nothing of a session. */
  direct(actionName: string): DirectTool | undefined {
    return Object.hasOwn(this.directTools, actionName) ? this.directTools[actionName] : undefined;
  }

  /** The caller does what it may (rules A21, A32); whom it acts for must at least see what is there (rule A33). */
  requirePermission(actionName: string, who: Identity): void {
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

function holds(viewer: Viewer | undefined, permission: string): boolean {
  return viewer !== undefined && (viewer.permissions as ReadonlySet<string>).has(permission);
}

/** A built-in action without an operation, or one whose operation needs no permission, does not start. */
function permissionOf(contract: Contract, actionName: string): string {
  const operation = builtinOperations[actionName];
  if (operation === undefined) throw new Error(`${actionName} is missing in builtin-operations.ts`);
  const { permission } = contract.operation(operation);
  if (permission === null) throw new Error(`${actionName} has no permission`);
  return permission;
}
