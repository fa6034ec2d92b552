import type { DynamicModule } from '@nestjs/common';
import type { Ports } from './ports.js';

/**
 * The operator's commands for the log, for a process that works on a data directory without the service. Loaded when
 * they are asked for: the other commands begin without.
 */
export async function logAdministration({ convertLog }: Required<Pick<Ports, 'convertLog'>>): Promise<DynamicModule> {
  const { LogAdministrationModule } = await import('./log-administration.module.js');
  return LogAdministrationModule.over(convertLog);
}
