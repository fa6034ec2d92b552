import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import type { Interaction } from '../../questions/words';
import { DestroyByName } from '../../ui';

/** Takes a closed request out of every list. */
export function Hide({ of, onClose }: { of: Interaction; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Hide this question"
      name={of.title}
      verb="Hide"
      consequence="It goes from every list and cannot be read any more. Its events and the audit log keep it."
      call={call('interactions', 'delete', of.id)}
      done="Hidden"
      onDone={() => void navigate({ to: '/questions' })}
    />
  );
}
