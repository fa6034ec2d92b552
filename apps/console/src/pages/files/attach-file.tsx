import { call } from '../../api/call';
import { UploadForm } from './upload-form';

/** Stores a file with a session: it is seen by all who see the session, and goes with it. */
export function AttachFile({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  return (
    <UploadForm
      title="Attach a file"
      callFor={(form) => call('sessions', 'createAttachment', sessionId, form)}
      done="The file was attached"
      changes={['artifacts']}
      onClose={onClose}
    />
  );
}
