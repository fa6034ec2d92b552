import type { ApiCall } from './call';
import { curlOf, typescriptOf } from './call-text';
import type { Operation } from './operations';

const origin = 'http://127.0.0.1:8080';
const writing: Omit<Operation, 'noun' | 'verb' | 'path' | 'ids'> = {
  method: 'POST',
  takesBody: true,
  takesQuery: false,
  paging: null,
  permission: null,
};
const upload: Operation = { ...writing, noun: 'artifacts', verb: 'create', path: '/v1/artifacts', ids: 0 };
const enable: Operation = { ...writing, noun: 'webhooks', verb: 'enable', path: '/v1/webhooks/*/enable', ids: 1 };

function form(): FormData {
  const made = new FormData();
  made.append('name', "Ann's list.csv");
  made.append('file', new File(['a,b'], "Ann's list.csv"));
  return made;
}

describe('the text of a call', () => {
  it('with a form names the file and does not hold it', () => {
    const of: ApiCall = { operation: upload, ids: [], body: form(), query: undefined };
    expect(curlOf(of, origin)).toBe(
      [
        `curl -s -X POST '${origin}/v1/artifacts'`,
        '-H "Authorization: Bearer $SVC_KEY"',
        `-F 'name=Ann'\\''s list.csv'`,
        `-F 'file=@Ann'\\''s list.csv'`,
      ].join(' \\\n  '),
    );
    const written = typescriptOf(of, origin);
    expect(written).toContain(`form.append("file", await openAsBlob("Ann's list.csv"), "Ann's list.csv");`);
    expect(written).toContain('svc.artifacts.create(form)');
    expect(written).not.toContain('a,b');
  });

  it('with JSON is what it was', () => {
    const of: ApiCall = { operation: enable, ids: ['hook_1'], body: { from: 'latest' }, query: undefined };
    expect(curlOf(of, origin)).toContain(`-H 'Content-Type: application/json' \\\n  -d '{"from":"latest"}'`);
    expect(typescriptOf(of, origin)).toContain('svc.webhooks.enable("hook_1", {');
  });
});
