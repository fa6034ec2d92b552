import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand } from '@aos/platform';

export class SaveBinding extends CallerCommand<
  { agent_id: string; body: RequestBody<'saveAgentMessagingBinding'> },
  Reply<'saveAgentMessagingBinding'>
> {}

export class DeleteBinding extends CallerCommand<{ agent_id: string; binding_id: string }, undefined> {}
