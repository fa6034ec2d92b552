import { Command, Option } from 'commander';
import type { CommandContext, MakeContext } from '../context/command-context.js';
import { Complaint, exitCodes, usageComplaint } from '../console/complaint.js';
import { hasColours, isInteractive } from '../console/io.js';
import { withProgress } from '../console/progress.js';
import { painter } from '../console/text.js';
import { readBlueprint, type Blueprint } from './blueprint-file.js';
import {
  changesAnything,
  countsOf,
  destroyText,
  isSamePlan,
  planText,
  type Binding,
  type Planned,
} from './plan-text.js';

type Result = Planned & { status: string };
type FileOptions = { file: string; detailedExitcode?: boolean };
type DestroyOptions = { file: string; deleteRetained?: boolean };

const fileOption = () =>
  new Option('-f, --file <path>', 'the blueprint, YAML or JSON; - for standard input').makeOptionMandatory();
const detailedOption = () =>
  new Option('--detailed-exitcode', 'end with 2 when there are changes, 3 when the plan is stale');

/** `svc plan`, `svc apply` and `svc destroy`: a blueprint file against what is there. */
export function addBlueprintCommands(program: Command, makeContext: MakeContext): void {
  program
    .command('plan')
    .summary('show what a blueprint file would change')
    .description('Shows what an apply of the file would create and change, field by field, and changes nothing.')
    .addOption(fileOption())
    .addOption(detailedOption())
    .addHelpText(
      'after',
      '\nExample:\n  svc plan -f blueprint.yaml\n  svc plan -f blueprint.yaml --detailed-exitcode\n',
    )
    .action((options: FileOptions, command: Command) => plan(makeContext(command), options));
  program
    .command('apply')
    .summary('bring about what a blueprint file says')
    .description(
      'Shows the plan, asks on a terminal, and applies it. Entries that are missing from the file are left alone.',
    )
    .addOption(fileOption())
    .addOption(detailedOption())
    .addHelpText(
      'after',
      '\nExample:\n  svc apply -f blueprint.yaml\n  svc apply -f blueprint.yaml --yes --output json\n',
    )
    .action((options: FileOptions, command: Command) => apply(makeContext(command), options));
  program
    .command('destroy')
    .summary('delete what a blueprint file made')
    .description('Deletes the resources that the blueprint created and unbinds the rest. It asks first; --yes answers.')
    .addOption(fileOption())
    .addOption(new Option('--delete-retained', 'delete what was taken under the blueprint, too'))
    .addHelpText('after', '\nExample:\n  svc destroy -f blueprint.yaml\n  svc destroy -f blueprint.yaml --yes\n')
    .action((options: DestroyOptions, command: Command) => destroy(makeContext(command), options));
}

async function plan(context: CommandContext, { file, detailedExitcode }: FileOptions): Promise<void> {
  const blueprint = await readBlueprint(file, context.io);
  const result = await send(context, blueprint, 'preview');
  if (isText(context)) showPlan(context, blueprint, result, 'Plan');
  else context.print(result);
  if (detailedExitcode === true && changesAnything(result, blueprint)) context.endWith(exitCodes.changes);
}

/** What was shown is what is written: where a person was asked, the plan is made again before the first write. */
async function apply(context: CommandContext, { file, detailedExitcode }: FileOptions): Promise<void> {
  const blueprint = await readBlueprint(file, context.io);
  const planned = await send(context, blueprint, 'preview');
  if (isInteractive(context.io) && context.options.yes !== true) {
    showPlan(context, blueprint, planned, 'Plan');
    if (!changesAnything(planned, blueprint)) return;
    await context.confirm('Apply this');
    const now = await send(context, blueprint, 'preview');
    if (!isSamePlan(now, planned, blueprint))
      throw new Complaint(
        'the plan is stale: what would change is no longer what was shown',
        [`svc plan -f ${file}`],
        detailedExitcode === true ? exitCodes.stale : exitCodes.failed,
      );
  }
  const result = await withProgress(context.io, 'applying', () => send(context, blueprint, 'apply'));
  const done = { changes: result.changes, bindings: planned.bindings };
  if (isText(context)) showPlan(context, blueprint, done, 'Applied');
  else context.print(result);
  if (detailedExitcode === true && changesAnything(done, blueprint)) context.endWith(exitCodes.changes);
}

async function destroy(context: CommandContext, { file, deleteRetained }: DestroyOptions): Promise<void> {
  const { namespace, blueprint_key: key } = await readBlueprint(file, context.io);
  if (key === undefined)
    throw usageComplaint(
      `${file} has no blueprint_key: what it made cannot be told from the rest`,
      'Delete by id instead: svc agents delete <agent_id>',
    );
  context.requireConsent(`Destroy ${key}`);
  const service = context.service();
  const query = { blueprint_key: key, ...(namespace === undefined ? {} : { namespace }) };
  const { items } = (await service.request('GET', '/v1/blueprints/bindings', { query })) as { items: Binding[] };
  const bindings = items.filter((binding) => (binding as { namespace?: string }).namespace === namespace);
  const deletesRetained = deleteRetained === true;
  const paint = painter(hasColours(context.io.out, context.io.env));
  const text = destroyText(bindings, deletesRetained, paint);
  const isAsked = context.options.yes !== true;
  if (isAsked) (isText(context) ? context.io.out : context.io.error).write(text);
  await context.confirm(`Destroy ${key}`);
  const result = (await withProgress(context.io, 'destroying', () =>
    service.request('DELETE', `/v1/blueprints/${encodeURIComponent(key)}`, {
      query: { ...(namespace === undefined ? {} : { namespace }), delete_retained: String(deletesRetained) },
    }),
  )) as { deleted: unknown[]; retained: unknown[] };
  if (isText(context))
    context.io.out.write(
      `${isAsked ? '' : text}Destroyed: ${result.deleted.length} deleted, ${result.retained.length} kept.\n`,
    );
  else context.print(result);
}

/** People read text, also through a pipe; programs ask for a format. */
function isText({ options }: CommandContext): boolean {
  return options.output === undefined || options.output === 'table';
}

function send(context: CommandContext, blueprint: Blueprint, mode: 'preview' | 'apply'): Promise<Result> {
  const body = { ...blueprint, mode };
  const query = { include: 'values' };
  return context.service().request('POST', '/v1/blueprints/apply', { query, body }) as Promise<Result>;
}

function showPlan(context: CommandContext, blueprint: Blueprint, planned: Planned, word: 'Plan' | 'Applied'): void {
  const { out, env } = context.io;
  const { created, updated, adopted, unchanged } = countsOf(planned.changes);
  const text = planText(planned, blueprint, painter(hasColours(out, env)));
  if (!changesAnything(planned, blueprint)) {
    out.write(`No changes: ${unchanged} resources are as the blueprint says.\n`);
    return;
  }
  const counts =
    word === 'Plan'
      ? `${created} to create, ${updated} to change, ${adopted} to take over, ${unchanged} unchanged`
      : `${created} created, ${updated} changed, ${adopted} taken over, ${unchanged} unchanged`;
  out.write(`${text}\n${word}: ${counts}.\n`);
}
