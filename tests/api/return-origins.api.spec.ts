import { Client, anotherOwner, callerWith, eventually, type Page, unique } from '../harness/index.js';

interface Origins {
  origins: string[];
}

const path = '/v1/organization/oauth-return-origins';

describe('rule TE18: return origins', () => {
  const api = anotherOwner(unique('Origins'));
  const replace = (origins: string[]) => api.put<Origins>(path, { origins }, 200);

  it('TE18: are none at first, are replaced whole and normalised, and none turns the flow off', async () => {
    expect(await api.get<Origins>(path)).toEqual({ origins: [] });
    const normal = { origins: ['https://app.example.com', 'https://b.example.com:8443'] };
    expect(
      await replace(['HTTPS://App.example.com:443', 'https://b.example.com:8443', 'https://app.example.com']),
    ).toEqual(normal);
    expect(await api.get<Origins>(path)).toEqual(normal);
    expect(await replace([])).toEqual({ origins: [] });
    expect(await api.get<Origins>(path)).toEqual({ origins: [] });
  });

  it('TE18: are exact: a refused list changes nothing', async () => {
    await replace(['https://kept.example.com']);
    for (const wrong of [
      'http://app.example.com',
      'https://app.example.com/',
      'https://app.example.com/back',
      'https://ann@app.example.com',
      'https://*.example.com',
      'https://app.example.com?x',
      'app.example.com',
      '',
    ]) {
      const { issues } = (await api.refused('bad_request', 'PUT', path, {
        body: { origins: ['https://ok.example.com', wrong] },
      })) as { issues: { path: string }[] };
      expect(issues.map((issue) => issue.path)).toEqual(['/origins/1']);
    }
    const many = Array.from({ length: 21 }, (_, index) => `https://a${index}.example.com`);
    await api.refused('bad_request', 'PUT', path, { body: { origins: many }, invalid: true });
    expect(await api.get<Origins>(path)).toEqual({ origins: ['https://kept.example.com'] });
    expect((await replace(many.slice(1))).origins).toHaveLength(20);
  });

  it('TE18: need org.admin, belong to one organization, and each change stands in the audit', async () => {
    const user = await callerWith(api, 'User');
    await user.refused('permission_denied', 'GET', path);
    await user.refused('permission_denied', 'PUT', path, { body: { origins: [] } });
    const origin = `https://${unique('audited').toLowerCase()}.example.com`;
    await replace([origin]);
    await replace([origin]);
    expect((await Client.owner().get<Origins>(path)).origins).not.toContain(origin);
    await eventually('the audit view', async () => {
      const { items } = await api.get<Page<{ action: string; changed_fields: string[] }>>('/v1/audit', {
        action: 'oauth_return_origins.updated',
        limit: 1,
      });
      return items[0]?.changed_fields[0] === 'origins';
    });
  });
});
