import { CallerCommand, Routed } from '@aos/platform';

const redriveInput = {
  type: 'object',
  required: ['interaction_id'],
  properties: { interaction_id: { type: 'string' } },
};

/** Sends an abandoned callback again: for the operator, who acts as the organization itself (rule I35). */
@Routed('interactions.redrive_callback', { stream: 'interaction', input: redriveInput, callers: 'system' })
export class RedriveCallback extends CallerCommand<
  { interaction_id: string },
  { interaction_id: string; delivery_id: string | null; status: string | null }
> {}
