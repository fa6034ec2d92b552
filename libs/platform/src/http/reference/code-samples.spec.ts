import { loadContract } from '../contract/contract.js';
import { withCodeSamples } from './code-samples.js';

const contract = loadContract();
const document = withCodeSamples(contract);

function sample(path: string, method: string, lang: string): string {
  const declared = document.paths[path]?.[method] as { 'x-codeSamples'?: { lang: string; source: string }[] };
  return declared['x-codeSamples']?.find((each) => each.lang === lang)?.source ?? '';
}

describe('the samples beside the operations (rule G30)', () => {
  it('show the least body that an operation takes', () => {
    expect(sample('/v1/agents', 'post', 'typescript')).toContain(
      'svc.request(\'POST\', \'/v1/agents\', {\n  body: {\n    "name": "..."',
    );
    expect(sample('/v1/agents', 'post', 'python')).toContain(
      'svc.request("POST", "/v1/agents", body={\n    "name": "...",',
    );
  });

  it('name what stands in a path', () => {
    expect(sample('/v1/sessions/{session_id}', 'get', 'typescript')).toContain("'/v1/sessions/<session_id>');");
  });

  it('stand beside every operation of the API that a client can call, and change nothing else', () => {
    const without = contract.operations.filter(
      (operation) => sample(operation.path, operation.method.toLowerCase(), 'python') === '',
    );
    expect(without.filter((each) => each.path.startsWith('/v1/') && !each.isSocket)).toEqual([]);
    expect(
      JSON.parse(JSON.stringify(document, (name, value: unknown) => (name === 'x-codeSamples' ? undefined : value))),
    ).toEqual(JSON.parse(JSON.stringify(contract.document)));
  });
});
