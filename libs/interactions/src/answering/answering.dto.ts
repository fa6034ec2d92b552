import type { Json } from '@aos/kernel';
import type { AnswerSet } from '../forms/answers.decide.js';
import type { Answer } from '../interaction/interaction.events.js';

/** The schema says all that can be said of these before the interaction is known. */
export class RespondDto implements AnswerSet {
  action?: 'submit';
  answers?: Answer[];
  value?: Json;
  comment?: string;
}

export class ReviewDto {
  action!: 'accept' | 'request_changes';
  comment?: string;
}

export class CancelDto {
  reason?: string;
}
