import { AgentService } from '../../libs/client/src/index.js';
import { baseUrl, freshName, owner } from './flow.js';

export interface Person {
  id: string;
  name: string;
  key: string;
  svc: AgentService;
}

/** A person with a role and a key of their own. */
export async function person(word: string, role: 'User' | 'Viewer' | 'Admin' = 'User'): Promise<Person> {
  const name = freshName(word);
  const { id } = await owner.principals.create({ name, kind: 'human' });
  await owner.roleAssignments.create({ principal_id: id, role_name: role });
  const { key } = await owner.apiKeys.create({ name, principal_id: id });
  return { id, name, key, svc: new AgentService({ baseUrl, key }) };
}

/** A key that may read and nothing else. */
export async function viewerKey(): Promise<string> {
  return (await person('viewer', 'Viewer')).key;
}
