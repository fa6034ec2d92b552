/** One family of event types of our own. */
export interface Family {
  prefix: string;
  displayName: string;
  description: string;
  types: readonly FamilyType[];
}

export interface FamilyType {
  name: string;
  description: string;
  sourceKind: string;
  /** Name of the payload's schema in the contract. */
  schema: string;
  /**
   * Routing fields under `meta`, which are copied from the payload unless the contract types them under another name.
   */
  routing: readonly string[];
}

const memoryRouting = ['agent_id', 'user_id', 'memory_entry_id', 'memory_key', 'version'];
const rowRouting = ['table_name', 'table_id', 'row_id'];

/** The service's own events (rule EV1). */
export const families: readonly Family[] = [
  {
    prefix: 'email',
    displayName: 'Email',
    description: 'Mail to agent inboxes.',
    types: [
      {
        name: 'email.received',
        description: 'A mail reached the inbox of an agent.',
        sourceKind: 'email',
        schema: 'EmailReceivedEvent',
        routing: ['agent_id'],
      },
    ],
  },
  {
    prefix: 'interaction',
    displayName: 'Interactions',
    description: 'Questions and tasks for people.',
    types: [
      {
        name: 'interaction.created',
        description: 'An interaction was opened.',
        sourceKind: 'interaction',
        schema: 'InteractionCreatedEvent',
        routing: ['interaction_id', 'kind', 'target_user_ids'],
      },
      {
        name: 'interaction.resolved',
        description: 'An interaction was completed, cancelled or has expired: see its status.',
        sourceKind: 'interaction',
        schema: 'InteractionResolvedEvent',
        routing: ['interaction_id', 'kind', 'status', 'consumer_kind', 'responder_id', 'resolving_response_id'],
      },
    ],
  },
  {
    prefix: 'memory',
    displayName: 'Agent memory',
    description: 'Entries of agent memory, without their content.',
    types: (['created', 'updated', 'deleted'] as const).map((verb) => ({
      name: `memory.entry.${verb}`,
      description: `A memory entry was ${verb}.`,
      sourceKind: 'agent_memory',
      schema: 'MemoryEntryEvent',
      routing: memoryRouting,
    })),
  },
  {
    prefix: 'session',
    displayName: 'Sessions',
    description: 'Messages of agent sessions.',
    types: [
      {
        name: 'session.message.created',
        description: 'A message was added to a session.',
        sourceKind: 'session',
        schema: 'SessionMessageCreatedEvent',
        routing: ['session_id', 'agent_id', 'message_id', 'role'],
      },
    ],
  },
  {
    prefix: 'table',
    displayName: 'Tables',
    description: 'Rows of tables.',
    types: (['inserted', 'updated', 'deleted'] as const).map((verb) => ({
      name: `table.row.${verb}`,
      description: `A row was ${verb}.`,
      sourceKind: 'table_row',
      schema: 'TableRowEvent',
      routing: rowRouting,
    })),
  },
];

/** Namespaces that set nothing off, and that no provider may use. */
export const reservedPrefixes: readonly { prefix: string; kind: 'capability' | 'utility' }[] = [
  { prefix: 'action', kind: 'capability' },
  { prefix: 'agent', kind: 'capability' },
  { prefix: 'blueprint', kind: 'capability' },
  { prefix: 'routine', kind: 'capability' },
  { prefix: 'skill', kind: 'capability' },
  { prefix: 'turn', kind: 'capability' },
  { prefix: 'nudge', kind: 'capability' },
  { prefix: 'compaction', kind: 'capability' },
  { prefix: 'custom', kind: 'utility' },
  { prefix: 'org', kind: 'utility' },
  { prefix: 'stream', kind: 'utility' },
  { prefix: 'svc', kind: 'utility' },
];

/** Whether a provider may not use a prefix. */
export function isReserved(prefix: string): boolean {
  return (
    families.some((family) => family.prefix === prefix) ||
    reservedPrefixes.some((reserved) => reserved.prefix === prefix)
  );
}
