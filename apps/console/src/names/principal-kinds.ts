/** What each kind of principal is called. */
export const principalKinds: Record<string, string> = {
  human: 'Person',
  service: 'API client',
  worker: 'Worker',
  agent: 'Agent',
  system: 'Organization',
};
