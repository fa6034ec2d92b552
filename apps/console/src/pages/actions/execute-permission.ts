/** The permission to run an action: its family is the part before the first dot, `custom` for a name without one. */
export function executePermission(name: string): string {
  return `actions.execute.${name.includes('.') ? name : `custom.${name}`}`;
}

/** Whether permissions, wildcards among them, hold the one to run this action. */
export function mayExecute(permissions: readonly string[], name: string): boolean {
  const wanted = executePermission(name);
  return permissions.some((held) => (held.endsWith('.*') ? wanted.startsWith(held.slice(0, -1)) : held === wanted));
}
