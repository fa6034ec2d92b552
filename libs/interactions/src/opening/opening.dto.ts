import { ArrayMaxSize, MaxLength } from 'class-validator';
import type { Members, RequestBody, Schema } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, Nested, TagRules } from '@aos/platform';
import {
  objectBytesMax,
  objectDepthMax,
  referencesBytesMax,
  referencesMax,
  reviewersMax,
  toolCallIdMax,
} from '../interaction/interaction.limits.js';

class AgentToolDto implements Schema<'AgentToolConsumer'> {
  invocation_id!: string;

  @MaxLength(toolCallIdMax)
  tool_call_id!: string;

  session_id?: string;
}

class ConsumerDto implements Schema<'ConsumerInput'> {
  kind!: Schema<'ConsumerInput'>['kind'];

  @Nested(() => AgentToolDto)
  agent_tool?: AgentToolDto;

  http_subscriber?: Schema<'HttpSubscriberConsumerInput'>;
}

class ReviewPolicyDto implements Schema<'ReviewPolicy'> {
  @ArrayMaxSize(reviewersMax)
  reviewer_user_ids?: string[];
}

class ResolutionPolicyDto implements Schema<'ResolutionPolicy'> {
  type!: Schema<'ResolutionPolicy'>['type'];
  threshold?: number;

  @Nested(() => ReviewPolicyDto)
  review?: ReviewPolicyDto | null;
}

/** The rules of a new interaction that its schema cannot say; those between members are in `planInteraction`. */
export class CreateInteractionDto implements Members<RequestBody<'createInteraction'>> {
  kind!: Schema<'InteractionKind'>;
  title!: string;
  description?: string;
  target_user_ids!: string[];

  @Nested(() => ResolutionPolicyDto)
  resolution_policy?: ResolutionPolicyDto;

  require_all?: boolean;
  spec?: Schema<'InteractionSpec'>;

  @Nested(() => ConsumerDto)
  consumer?: ConsumerDto;

  @JsonBytesMax(objectBytesMax)
  delivery?: Schema<'Delivery'>;

  expires_at?: string;

  @JsonBytesMax(objectBytesMax)
  subject?: Schema<'InteractionReference'>;

  @ArrayMaxSize(referencesMax)
  @JsonBytesMax(referencesBytesMax)
  references?: Schema<'InteractionReference'>[];

  @JsonBytesMax(objectBytesMax)
  @JsonDepthMax(objectDepthMax)
  context?: JsonObject | null;

  @TagRules()
  tags?: Schema<'TagMap'>;

  @JsonBytesMax(objectBytesMax)
  @JsonDepthMax(objectDepthMax)
  properties?: JsonObject | null;
}
