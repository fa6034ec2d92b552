/**
 * Names of the commands that other contexts send through the gateway. Payloads: `{body, turn_id, tool_call_id}`,
 * `{interaction_id, body}`, `{interaction_id, reason}`, `{interaction_id}`.
 */
export const interactionCommandNames = {
  open: 'interactions.open',
  respond: 'interactions.respond',
  cancel: 'interactions.cancel',
  redriveCallback: 'interactions.redrive_callback',
} as const;
