import { useState, type FormEvent } from 'react';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { useItem } from '../../../api/hooks';
import { Button, CallShown, Card, ErrorNote, ItemView } from '../../../ui';
import { LinesField } from '../../definitions/lines-field';

/** Where a person may be sent back to after an account was authorized at its provider. */
export function ReturnOrigins() {
  const origins = useItem(call('organization', 'getOAuthReturnOrigins'));
  if (origins.lacks !== null) return null;
  return (
    <Card title="Return origins" actions={<CallShown call={origins.call} />}>
      <ItemView item={origins}>
        {({ origins: stored }) => <OriginsForm key={stored.join('\n')} stored={stored} />}
      </ItemView>
    </Card>
  );
}

function OriginsForm({ stored }: { stored: readonly string[] }) {
  const [lines, setLines] = useState([...stored]);
  const callFor = (body: { origins: string[] }) => call('organization', 'replaceOAuthReturnOrigins', body);
  const save = useCheckedWrite('PutOAuthReturnOriginsRequest', callFor, { done: 'Saved' });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.submit({ origins: lines });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <LinesField
        label="Origins"
        placeholder="https://app.example.com"
        hint="One a line, 20 at most. Sites that a person may be sent back to once an account is authorized. None: no account is authorized that way."
        value={lines}
        onChange={setLines}
        error={save.faultAt('origins')}
      />
      {save.error && <ErrorNote error={save.error} />}
      <div className="flex justify-end gap-2">
        <Button
          type="submit"
          needs={callFor({ origins: lines })}
          disabled={lines.join('\n') === stored.join('\n')}
          busy={save.isPending}
        >
          Save origins
        </Button>
      </div>
    </form>
  );
}
