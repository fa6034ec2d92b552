import type { ErrorObject } from 'ajv';
import type { Issue } from '@aos/kernel';

export const issuesMax = 20;
const messageLengthMax = 300;

/** Escapes one member name for a JSON pointer. */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Turns validator errors into issues for people and programs (rule G15).
 *
 * Of a union (`oneOf`, `anyOf`) only what is wrong inside the form that was meant stays, by its discriminator or type;
 * where no form can be chosen, one line says what the forms need. It comes last: what is wrong elsewhere may be why
 * none fits.
 * Gives at most 20.
 */
export function issuesOf(errors: readonly ErrorObject[], prefix = ''): Issue[] {
  const known = withoutUnionNoise(errors.slice(0, 200));
  const kept = [...known.filter((error) => !fitsNone(error)), ...known.filter(fitsNone)];
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const error of kept) {
    const issue = { path: prefix + pathOf(error), message: messageOf(error).slice(0, messageLengthMax) };
    const key = `${issue.path} ${issue.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    issues.push(issue);
    if (issues.length === issuesMax) break;
  }
  return issues;
}

function isUnion(error: ErrorObject): boolean {
  return error.keyword === 'oneOf' || error.keyword === 'anyOf';
}

function fitsNone(error: ErrorObject): boolean {
  return isUnion(error) && !(error.params as { passingSchemas?: unknown }).passingSchemas;
}

function withoutUnionNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept: readonly ErrorObject[] = errors;
  for (const union of errors.filter(isUnion)) {
    const at = union.instancePath;
    const isNoForm = kept.some(
      (error) =>
        error.instancePath === at && error.keyword === 'type' && !error.schemaPath.startsWith(`${union.schemaPath}/`),
    );
    if (isNoForm) {
      kept = kept.filter((error) => error !== union);
      continue;
    }
    const before = kept.slice(0, kept.indexOf(union));
    const deeper = before.some(({ instancePath }) => instancePath.startsWith(`${at}/`));
    const unknownMember = before.some((error) => error.instancePath === at && error.keyword === 'additionalProperties');
    const isBranchNoise = (error: ErrorObject) =>
      error.instancePath === at &&
      error !== union &&
      kept.indexOf(error) < kept.indexOf(union) &&
      ['type', 'required', 'const', 'enum'].includes(error.keyword) &&
      error.schemaPath.startsWith(`${union.schemaPath}/`);
    if (deeper || unknownMember) kept = kept.filter((error) => error !== union && !isBranchNoise(error));
    else kept = kept.filter((error) => !isBranchNoise(error));
  }
  return kept;
}

/** Names what the forms need where that alone tells them apart. */
function unionMessage({ schema }: ErrorObject, fitsSeveral: boolean): string {
  const forms = (Array.isArray(schema) ? schema : []) as { required?: string[] }[];
  const needed = forms.flatMap((form) =>
    Object.keys(form).length === 1 && form.required ? [form.required.join(' with ')] : [],
  );
  if (needed.length === 0 || needed.length < forms.length)
    return fitsSeveral ? 'fits more than one of the allowed forms' : 'fits none of the allowed forms';
  return fitsSeveral ? `only one of ${needed.join(', ')} may be given` : `one of ${needed.join(', ')} is required`;
}

function pathOf(error: ErrorObject): string {
  const { instancePath, keyword, params } = error as ErrorObject & { params: Record<string, unknown> };
  if (keyword === 'additionalProperties') return `${instancePath}/${pointerPart(String(params['additionalProperty']))}`;
  if (keyword === 'required') return `${instancePath}/${pointerPart(String(params['missingProperty']))}`;
  if (keyword === 'discriminator') return `${instancePath}/${pointerPart(String(params['tag']))}`;
  return instancePath;
}

function messageOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known member';
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((one) => JSON.stringify(one)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'discriminator':
      return params['error'] === 'tag' ? 'must be a string' : 'is not one of the known values';
    case 'oneOf':
    case 'anyOf':
      return unionMessage(error, params['passingSchemas'] != null);
    case 'not':
      return 'is a combination that is not allowed';
    default:
      return error.message ?? 'is not valid';
  }
}
