import type { Reply, RequestBody, Schema } from '@aos/client';

export type Routine = Reply<'getRoutine'>;
export type CreateBody = RequestBody<'createRoutine'>;
export type UpdateBody = RequestBody<'updateRoutine'>;
export type TriggerKind = 'cron' | 'interval' | 'at' | 'event';

/** What the form holds: each field as its control has it, times in the reader's zone. */
export interface RoutineDraft {
  name: string;
  agentId: string;
  instructions: string;
  trigger: TriggerKind;
  cron: string;
  interval: string;
  at: string;
  timezone: string;
  startsAt: string;
  endsAt: string;
  runsMax: string;
  eventType: string;
  condition: string;
  integrationId: string;
  perRun: string;
  perDay: string;
  ownerKind: 'person' | 'team';
  managedBy: 'team' | 'named';
}

export type Change = (part: Partial<RoutineDraft>) => void;

export const readerZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function newDraft(agentId = ''): RoutineDraft {
  return {
    name: '',
    agentId,
    instructions: '',
    trigger: 'cron',
    cron: '0 7 * * *',
    interval: '24h',
    at: '',
    timezone: readerZone,
    startsAt: '',
    endsAt: '',
    runsMax: '',
    eventType: '',
    condition: '',
    integrationId: '',
    perRun: '1',
    perDay: '5',
    ownerKind: 'team',
    managedBy: 'team',
  };
}

export function draftOf(routine: Routine): RoutineDraft {
  const { schedule = {}, event } = routine;
  const trigger = event ? 'event' : schedule.at ? 'at' : schedule.interval ? 'interval' : 'cron';
  return {
    ...newDraft(routine.agent_id),
    name: routine.name,
    instructions: routine.instructions ?? '',
    trigger,
    ...(schedule.cron !== undefined && { cron: schedule.cron }),
    ...(schedule.interval !== undefined && { interval: schedule.interval }),
    at: localText(schedule.at),
    timezone: routine.timezone,
    startsAt: localText(schedule.starts_at),
    endsAt: localText(schedule.ends_at),
    runsMax: schedule.max_occurrences === undefined ? '' : String(schedule.max_occurrences),
    eventType: event?.event_type ?? '',
    condition: event?.condition ?? '',
    integrationId: event?.integration_id ?? '',
    perRun: String(routine.per_occurrence_ceiling_milli / 1000),
    perDay: String(routine.daily_ceiling_milli / 1000),
    ownerKind: routine.owner_kind,
    managedBy: routine.managed_by,
  };
}

/** The schedule that the draft says; null for one that listens to an event. */
export function scheduleOf(draft: RoutineDraft): Schema<'RoutineSchedule'> | null {
  if (draft.trigger === 'event') return null;
  const starts = timeText(draft.startsAt);
  const ends = timeText(draft.endsAt);
  const bounds = {
    ...(starts !== null && { starts_at: starts }),
    ...(ends !== null && { ends_at: ends }),
    ...(draft.runsMax !== '' && { max_occurrences: Number(draft.runsMax) }),
  };
  if (draft.trigger === 'at') return { at: timeText(draft.at) ?? '', timezone: draft.timezone };
  if (draft.trigger === 'interval') return { interval: draft.interval, timezone: draft.timezone, ...bounds };
  return { cron: draft.cron, timezone: draft.timezone, ...bounds };
}

export function createBody(draft: RoutineDraft): CreateBody {
  return {
    agent_id: draft.agentId,
    ...(draft.name.trim() !== '' && { name: draft.name.trim() }),
    instructions: draft.instructions,
    ...triggerOf(draft),
    per_occurrence_ceiling_milli: milli(draft.perRun),
    daily_ceiling_milli: milli(draft.perDay),
    owner_kind: draft.ownerKind,
    managed_by: draft.managedBy,
  } as CreateBody;
}

/** What differs from the routine as it is. */
export function updateBody(draft: RoutineDraft, routine: Routine): UpdateBody {
  const before = draftOf(routine);
  const trigger = triggerOf(draft);
  const body = {
    ...(draft.name !== before.name && { name: draft.name }),
    ...(draft.instructions !== before.instructions && { instructions: draft.instructions }),
    ...(JSON.stringify(trigger) !== JSON.stringify(triggerOf(before)) && trigger),
    ...(draft.perRun !== before.perRun && { per_occurrence_ceiling_milli: milli(draft.perRun) }),
    ...(draft.perDay !== before.perDay && { daily_ceiling_milli: milli(draft.perDay) }),
    ...(draft.managedBy !== before.managedBy && { managed_by: draft.managedBy }),
  };
  return body as UpdateBody;
}

function triggerOf(draft: RoutineDraft): Pick<CreateBody, 'schedule' | 'event'> {
  const schedule = scheduleOf(draft);
  if (schedule !== null) return { schedule };
  return {
    event: {
      event_type: draft.eventType.trim(),
      ...(draft.condition.trim() !== '' && { condition: draft.condition.trim() }),
      ...(draft.integrationId.trim() !== '' && { integration_id: draft.integrationId.trim() }),
    },
  };
}

function milli(credits: string): number {
  return Math.round(Number(credits) * 1000);
}

/** A time of the service for `<input type="datetime-local">`, which speaks the reader's zone; with its seconds. */
function localText(time: string | undefined): string {
  if (time === undefined) return '';
  const at = new Date(time);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getSeconds() === 0 && at.getMilliseconds() === 0 ? 16 : 23);
}

function timeText(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
