import type { ReactNode } from 'react';
import { classes } from './class-names';

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info' | 'accent';

const tones: Record<Tone, string> = {
  neutral: 'bg-sunken text-muted',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  accent: 'bg-accent-soft text-accent',
};

/** Words that the service uses for states, and how each is coloured. */
const toneOf: Record<string, Tone> = {
  active: 'good',
  completed: 'good',
  ok: 'good',
  accepted: 'good',
  connected: 'good',
  ready: 'good',
  delivered: 'good',
  resolved: 'good',
  running: 'info',
  queued: 'info',
  processing: 'info',
  waiting: 'warn',
  pending: 'warn',
  in_review: 'warn',
  paused: 'warn',
  draining: 'warn',
  requires_action: 'warn',
  failed: 'bad',
  dead: 'bad',
  error: 'bad',
  rejected: 'bad',
  expired: 'bad',
  given_up: 'bad',
  needs_authorization: 'warn',
  cancelled: 'neutral',
  archived: 'neutral',
  disabled: 'neutral',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1 rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

/** A state of the service in its own word: `running`, `failed`, `in_review`. */
export function Status({ value }: { value: string }) {
  return (
    <Badge tone={toneOf[value] ?? 'neutral'}>
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {value.replace(/_/g, ' ')}
    </Badge>
  );
}
