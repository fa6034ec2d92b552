import { freshName, owner } from './flow.js';

/** A key that may read and nothing else. */
export async function viewerKey(): Promise<string> {
  const name = freshName('viewer');
  const { id } = await owner.principals.create({ name, kind: 'human' });
  await owner.roleAssignments.create({ principal_id: id, role_name: 'Viewer' });
  const { key } = await owner.apiKeys.create({ name, principal_id: id });
  return key;
}
