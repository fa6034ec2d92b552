import { MaxLength } from 'class-validator';
import type { Members, RequestBody } from '@aos/contract';
import { Nested, Utf8BytesMax } from '@aos/platform';
import type { RoutineEventTrigger, RoutineSchedule } from '../routine/routine.events.js';
import { conditionBytesMax, instructionsBytesMax, nameLengthMax } from '../routine/routine.limits.js';

class EventTriggerDto implements RoutineEventTrigger {
  @MaxLength(255)
  event_type!: string;

  @MaxLength(255)
  integration_id?: string;

  @Utf8BytesMax(conditionBytesMax)
  condition?: string;
}

/** Rules of a new routine that its schema cannot say. */
export class CreateRoutineDto implements Members<RequestBody<'createRoutine'>> {
  agent_id!: string;

  @Utf8BytesMax(instructionsBytesMax)
  instructions!: string;

  kind?: 'invoke' | 'notify';

  @MaxLength(nameLengthMax)
  name?: string;

  schedule?: RoutineSchedule;

  @Nested(() => EventTriggerDto)
  event?: EventTriggerDto;

  session_id?: string;
  per_occurrence_ceiling_milli!: number;
  daily_ceiling_milli!: number;
  owner_kind?: 'person' | 'team';
  managed_by?: 'team' | 'named';
  act_as_user_providers?: string[];
  responsible_principal_ids?: string[];
  follower_principal_ids?: string[];
}

export class UpdateRoutineDto implements Members<RequestBody<'updateRoutine'>> {
  @MaxLength(nameLengthMax)
  name?: string;

  schedule?: RoutineSchedule;

  @Nested(() => EventTriggerDto)
  event?: EventTriggerDto;

  @Utf8BytesMax(instructionsBytesMax)
  instructions?: string;

  per_occurrence_ceiling_milli?: number;
  daily_ceiling_milli?: number;
  managed_by?: 'team' | 'named';
  act_as_user_providers?: string[];
}
