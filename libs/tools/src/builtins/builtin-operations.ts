/**
 * The REST operation that each built-in action does the same as: the action needs that operation's permission (rules
 * A21, A32).
 */
export const builtinOperations: Readonly<Record<string, string>> = {
  'svc.table.list': 'listTables',
  'svc.table.get': 'getTable',
  'svc.table.query_rows': 'queryTableRows',
  'svc.table.search_rows': 'searchTableRows',
  'svc.table.get_row': 'getTableRow',
  'svc.table.save_row': 'upsertTableRow',
  'svc.table.delete_row': 'deleteTableRow',
  'svc.memory.remember': 'saveAgentMemoryEntry',
  'svc.memory.recall': 'listAgentMemoryEntries',
  'svc.memory.forget': 'deleteAgentMemoryEntry',
  'svc.interaction.open': 'createInteraction',
  'svc.interaction.get': 'getInteraction',
  'svc.interaction.list': 'listInteractions',
  'svc.interaction.respond': 'respondToInteraction',
  'svc.interaction.cancel': 'cancelInteraction',
  'svc.event.wait': 'getInteraction',
  'svc.skill.invoke': 'getSkill',
  'svc.artifact.save': 'createSessionAttachment',
  'svc.artifact.read': 'getArtifactContent',
};
