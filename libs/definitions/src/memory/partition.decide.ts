import { notFound, type Identity, type Viewer } from '@aos/kernel';

type Caller = Viewer & Pick<Identity, 'actsFor'>;

/**
 * Partitions within a caller's reach: the shared one, and a person's own. An agent in a turn reaches those of the
 * principal that it acts for (rule R46).
 */
export function partitionsOf(who: Caller): string[] {
  const { kind, principalId } = who.actsFor ?? who;
  return kind === 'human' ? ['', principalId] : [''];
}

/** Refuses not_found for another person's partition, exactly as for an entry that is not there (rules G13, R46). */
export function requirePartition(who: Caller, userId: string): void {
  if (!partitionsOf(who).includes(userId)) throw notFound('memory entry');
}
