/** What events come from. */
export const sourceKinds = ['session', 'interaction', 'table_row', 'agent_memory', 'email', 'integration'] as const;
