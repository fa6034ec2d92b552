import { useState } from 'react';
import { call } from '../../api/call';
import { Select } from '../../ui';
import { UploadForm } from './upload-form';

/** Stores a file of the organization, or one that its owner alone sees. */
export function UploadFile({ onClose }: { onClose: () => void }) {
  const [visibility, setVisibility] = useState('organization');
  return (
    <UploadForm
      title="Upload a file"
      fields={{ visibility }}
      callFor={(form) => call('artifacts', 'create', form)}
      done="The file was stored"
      onClose={onClose}
    >
      <Select
        label="Who may see it"
        options={[
          { value: 'organization', label: 'The organization' },
          { value: 'private', label: 'Its owner' },
        ]}
        value={visibility}
        onChange={({ target }) => setVisibility(target.value)}
      />
    </UploadForm>
  );
}
