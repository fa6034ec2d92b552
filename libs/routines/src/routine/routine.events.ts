import { defineEvents, event, type BasePermission, type EventOf, type PrincipalKind } from '@aos/kernel';

/** The contract's `RoutineSchedule`: exactly one of `at`, `interval`, `cron`. */
export type RoutineSchedule = {
  at?: string;
  interval?: string;
  cron?: string;
  timezone?: string;
  starts_at?: string;
  ends_at?: string;
  max_occurrences?: number;
};

/** The contract's `RoutineEventTrigger`. */
export type RoutineEventTrigger = { event_type: string; integration_id?: string; condition?: string };

export type RoutineStatus = 'active' | 'paused' | 'completed' | 'cancelled';
export type RoutineRelationship = 'follower' | 'responsible' | 'manager';
export type FollowLevel = 'all_results' | 'failures_only';

export type RosterEntry = {
  principal_id: string;
  relationship: RoutineRelationship;
  level?: FollowLevel;
  kind: PrincipalKind;
  added_by: string;
  added_at: string;
};

/** Principal that a routine's runs act as, and the most that they may do (rule A34). */
export type RunAsRecord = {
  /** A person's routine: its owner. A team's: the principal that last changed trigger, condition or instructions. */
  id: string;
  kind: PrincipalKind;
  /**
   * The permissions of the key that made the change. Absent in old records: a key without cap, without administration
   * (rule A36).
   */
  permissions?: BasePermission[];
  /** Read by earlier releases only, which match events by it. New records say false. */
  as_admin: boolean;
};

/** `provider`: of an account of the person that it runs as; null: the connection that its event names. */
export type RestsOn = { connection_id: string; provider: string | null };

/** A standing instruction as it stands. */
export type RoutineRecord = {
  id: string;
  org_id: string;
  agent_id: string;
  /** The conversation it was made in, where its runs go on; null: it has a session of its own. */
  origin_session_id: string | null;
  owner: { kind: 'person' | 'team'; id: string | null };
  managed_by: 'team' | 'named';
  name: string;
  instructions: string;
  /** Exactly one of the two is set. */
  schedule: RoutineSchedule | null;
  event: RoutineEventTrigger | null;
  timezone: string;
  /** Whether the agent's access named the event's connection when it was stored: only what was bound can be revoked. */
  source_bound: boolean;
  status: RoutineStatus;
  pause_reason: string | null;
  /** Events from here on count, and an interval counts from here. */
  armed_at: string;
  next_fire_at: string | null;
  last_fire_at: string | null;
  /** Due times that came, for `max_occurrences`. */
  fired_count: number;
  completed_at: string | null;
  per_occurrence_ceiling_milli: number;
  daily_ceiling_milli: number;
  /** Without `act_as_user_by` only what the agent's rules said: nothing follows from it. */
  act_as_user_providers: string[];
  /** Person that named them: they hold while it runs as that person (rule TE24). */
  act_as_user_by?: string;
  /** Connections that granted the agent when it was stored or resumed: it stops when one does no more (rule TE27). */
  rests_on?: RestsOn[];
  roster: RosterEntry[];
  run_as: RunAsRecord;
  created_by: string;
  created_at: string;
  updated_at: string;
};

/**
 * All events of a routine; one stream `routine-<id>`. All but `RoutineFired` carry the whole
 * record.
 */
export const routineEvents = defineEvents({
  RoutineCreated: event<{ routine: RoutineRecord }>(1),
  RoutineChanged: event<{ routine: RoutineRecord; changed_fields: string[] }>(1),
  RoutinePaused: event<{ routine: RoutineRecord }>(1),
  RoutineResumed: event<{ routine: RoutineRecord }>(1),
  RoutineCancelled: event<{ routine: RoutineRecord }>(1),
  RosterChanged: event<{ routine: RoutineRecord; added: RosterEntry[]; removed: RosterEntry[] }>(1),
  /** A due time came: its run is recorded before this is. */
  RoutineFired: event<{ due_at: string; next_fire_at: string | null; completed_at: string | null }>(1),
});

export type RoutineEvent = EventOf<typeof routineEvents>;
