import { ArrayMaxSize, MaxLength } from 'class-validator';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, Nested, TagRules } from '@aos/platform';
import type { AskedForm } from '../forms/form.decide.js';
import {
  objectBytesMax,
  objectDepthMax,
  referencesBytesMax,
  referencesMax,
  reviewersMax,
  toolCallIdMax,
} from '../interaction/interaction.limits.js';
import type { InteractionKind, ResolutionPolicy } from '../interaction/interaction.events.js';
import type { AskedConsumer, AskedInteraction } from './opening.decide.js';

class AgentToolDto {
  invocation_id!: string;

  @MaxLength(toolCallIdMax)
  tool_call_id!: string;

  session_id?: string;
}

class ConsumerDto implements AskedConsumer {
  kind!: AskedConsumer['kind'];

  @Nested(() => AgentToolDto)
  agent_tool?: AgentToolDto;

  http_subscriber?: { callback_url: string; signing_secret?: string };
}

class ReviewPolicyDto {
  @ArrayMaxSize(reviewersMax)
  reviewer_user_ids?: string[];
}

class ResolutionPolicyDto implements ResolutionPolicy {
  type!: ResolutionPolicy['type'];
  threshold?: number;

  @Nested(() => ReviewPolicyDto)
  review?: ReviewPolicyDto | null;
}

/** The rules of a new interaction that its schema cannot say; those between members are in `planInteraction`. */
export class CreateInteractionDto implements AskedInteraction {
  kind!: InteractionKind;
  title!: string;
  description?: string;
  target_user_ids!: string[];

  @Nested(() => ResolutionPolicyDto)
  resolution_policy?: ResolutionPolicyDto;

  require_all?: boolean;
  spec?: AskedForm;

  @Nested(() => ConsumerDto)
  consumer?: ConsumerDto;

  @JsonBytesMax(objectBytesMax)
  delivery?: JsonObject;

  expires_at?: string;

  @JsonBytesMax(objectBytesMax)
  subject?: JsonObject;

  @ArrayMaxSize(referencesMax)
  @JsonBytesMax(referencesBytesMax)
  references?: JsonObject[];

  @JsonBytesMax(objectBytesMax)
  @JsonDepthMax(objectDepthMax)
  context?: JsonObject | null;

  @TagRules()
  tags?: Record<string, string>;

  @JsonBytesMax(objectBytesMax)
  @JsonDepthMax(objectDepthMax)
  properties?: JsonObject | null;
}
