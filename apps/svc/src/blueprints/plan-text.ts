import { shownOnLine, type Paint } from '../console/text.js';
import { entryFor, type Blueprint } from './blueprint-file.js';
import { valueLines, valueOnLine, type FieldChange } from './value-text.js';

export type Change = {
  resource_type: string;
  key: string;
  action: 'created' | 'updated' | 'adopted' | 'unchanged';
  resource_id?: string;
  name?: string;
  fields?: string[];
  values?: FieldChange[];
};
export type Binding = {
  resource_type: string;
  key: string;
  resource_id: string;
  delete_on_destroy: boolean;
  protected: boolean;
  blueprint_version?: string;
};
/** What an apply changes, or changed, and the bindings before it. */
export type Planned = { changes: readonly Change[]; bindings: readonly Binding[] };

type Counts = Record<Change['action'], number>;

export function countsOf(changes: readonly Change[]): Counts {
  const counts: Counts = { created: 0, updated: 0, adopted: 0, unchanged: 0 };
  for (const { action } of changes) counts[action] += 1;
  return counts;
}

/** Whether anything would be written. */
export function changesAnything({ changes, bindings }: Planned, blueprint: Blueprint): boolean {
  return changes.some(({ action }) => action !== 'unchanged') || bindingChanges(bindings, blueprint).length > 0;
}

/** Whether two plans of a blueprint would change the same. */
export function isSamePlan(one: Planned, other: Planned, blueprint: Blueprint): boolean {
  const [is, was] = [one, other].map(({ changes, bindings }) => [changes, bindingChanges(bindings, blueprint)]);
  return JSON.stringify(is) === JSON.stringify(was);
}

type BindingChange = FieldChange & { count: number };

/**
 * What changes of bindings that there are, by what they hold: the protection of all of them, and the version of those
 * in the file.
 */
function bindingChanges(bindings: readonly Binding[], blueprint: Blueprint): BindingChange[] {
  const { protect_resources: protects, blueprint_version: version } = blueprint;
  const found: BindingChange[] = [];
  const add = (field: string, before: unknown, after: unknown): void => {
    if (after === undefined || before === after) return;
    const same = found.find((one) => one.field === field && one.before === before);
    if (same) same.count += 1;
    else found.push({ field, before, after, count: 1 });
  };
  for (const { protected: isProtected } of bindings) add('protect_resources', isProtected, protects);
  for (const { resource_type: type, key, blueprint_version: known } of bindings)
    if (entryFor(blueprint, type, key)) add('blueprint_version', known, version);
  return found;
}

/**
 * The changes as people read them: `+` a resource or field that comes, `~` one that changes, `-` a field that goes.
 * A field that changes is shown with what it held and holds.
 */
export function planText({ changes, bindings }: Planned, blueprint: Blueprint, paint: Paint): string {
  const ofBindings = bindingChanges(bindings, blueprint).flatMap((change) =>
    changeLines(`${paint('yellow', '~')} ${change.field} of ${change.count} resources`, change, paint),
  );
  return [
    ...ofBindings,
    ...changes
      .filter(({ action }) => action !== 'unchanged')
      .map((change) => [headOf(change, paint), ...fieldsOf(change, blueprint, paint)].join('\n')),
  ]
    .map((text) => `${text}\n`)
    .join('');
}

function headOf({ resource_type: type, key, action, name, resource_id: id }: Change, paint: Paint): string {
  const mark = action === 'created' ? paint('green', '+') : paint('yellow', '~');
  const adopts = action === 'adopted' ? ' (taken under this blueprint)' : '';
  const label = name === undefined || name === key ? key : `${key} "${name}"`;
  return `${mark} ${shownOnLine(`${type} ${label}`)}${id === undefined ? '' : paint('dim', ` ${id}`)}${adopts}`;
}

function fieldsOf(
  { resource_type: type, key, action, fields = [], values = [] }: Change,
  blueprint: Blueprint,
  paint: Paint,
): string[] {
  const entry = entryFor(blueprint, type, key);
  if (action === 'created')
    return Object.keys(entry ?? {})
      .filter((name) => name !== 'key')
      .map((name) => `    ${paint('green', '+')} ${shownOnLine(name)}`);
  return fields.flatMap((name) => {
    const goes = entry !== null && (entry[name] === undefined || entry[name] === null);
    const line = `    ${goes ? paint('red', '-') : paint('yellow', '~')} ${shownOnLine(name)}`;
    const value = values.find(({ field }) => field === name);
    return value === undefined ? [line] : changeLines(line, value, paint);
  });
}

function changeLines(line: string, value: FieldChange, paint: Paint): string[] {
  const short = valueOnLine(value);
  return short === null ? [line, ...valueLines(value, paint).map((one) => `        ${one}`)] : [`${line}${short}`];
}

/** What a destroy deletes, and what it lets go of. */
export function destroyText(bindings: readonly Binding[], deletesRetained: boolean, paint: Paint): string {
  return bindings
    .map(({ resource_type: type, key, resource_id: id, delete_on_destroy: isOwn }) =>
      isOwn || deletesRetained
        ? `${paint('red', '-')} ${shownOnLine(`${type} ${key}`)} ${paint('dim', id)}\n`
        : `${paint('yellow', '~')} ${shownOnLine(`${type} ${key}`)} ${paint('dim', id)} stays, no longer bound\n`,
    )
    .join('');
}
