import type { KeyboardEvent } from 'react';

const steps: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };

/** Moves the focus between the things that `selector` finds, by arrow keys, Home and End. */
export function moveByArrows(event: KeyboardEvent<HTMLElement>, selector: string): void {
  const { target } = event;
  if (target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)].filter(firstOfItsRow);
  const row = target instanceof HTMLElement ? target.closest('[data-row]') : null;
  const at = all.findIndex((one) => one === target || (row !== null && row.contains(one)));
  const step = steps[event.key];
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : step === undefined ? null : at + step;
  const found = next === null ? undefined : all[next];
  if (found === undefined) return;
  event.preventDefault();
  found.focus();
}

/** A row may hold several links: the arrows go to its first one. */
function firstOfItsRow(element: HTMLElement, at: number, all: HTMLElement[]): boolean {
  const row = element.closest('[data-row]');
  return row === null || all.findIndex((one) => one.closest('[data-row]') === row) === at;
}
