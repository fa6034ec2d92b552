import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { Recorded } from '../definition/definition.events.js';

/** A reusable bundle of instructions. Absent: not set. */
export type SkillDefinition = {
  name: string;
  title?: string;
  description?: string;
  instructions: string;
  /** Actions that an agent may call once it invoked the skill; empty narrows nothing (rule R19). */
  allowed_actions: string[];
  required_actions: string[];
  recommended_actions: string[];
  tags: Record<string, string>;
};

type SkillRecorded = Recorded<SkillDefinition>;

/** Each carries the whole record; the last three are written by blueprints. */
export const skillEvents = defineEvents({
  SkillCreated: event<SkillRecorded>(1),
  SkillConfigured: event<SkillRecorded>(1),
  SkillDeleted: event<SkillRecorded>(1),
  ProtectionSet: event<SkillRecorded>(1),
  BindingAttached: event<SkillRecorded>(1),
  BindingDetached: event<SkillRecorded>(1),
});
export type SkillEvent = EventOf<typeof skillEvents>;
