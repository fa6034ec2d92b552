import { Select, Switch } from '../../../ui';
import { LinesField } from '../../definitions/lines-field';
import type { BindingBody } from './binding-draft';

const policies = [
  { value: 'open', label: 'From all senders' },
  { value: 'allowlist', label: 'From named senders' },
  { value: 'disabled', label: 'From no sender' },
];

/** What a binding answers, and to whom. */
export function BindingFields({
  body,
  onChange,
  faultAt,
}: {
  body: BindingBody;
  onChange: (part: Partial<BindingBody>) => void;
  faultAt: (member: string) => string | null;
}) {
  const isMail = body.provider === 'email';
  return (
    <>
      <Switch label="Enabled" checked={body.enabled ?? false} onChange={(enabled) => onChange({ enabled })} />
      <Select
        label={isMail ? 'Mail is answered' : 'Direct messages are answered'}
        hint={isMail ? 'The sender of a mail can be forged, so that named senders are needed.' : undefined}
        options={isMail ? policies.slice(1) : policies}
        value={body.dms === false ? 'disabled' : body.dm_policy}
        onChange={({ target }) => onChange({ dms: true, dm_policy: target.value as BindingBody['dm_policy'] })}
        error={faultAt('dm_policy')}
      />
      {body.dms !== false && body.dm_policy === 'allowlist' && (
        <LinesField
          label="Senders"
          hint={isMail ? 'One address a line.' : 'One sender’s id a line, as the service names it.'}
          value={body.sender_allow ?? []}
          onChange={(sender_allow) => onChange({ sender_allow })}
          error={faultAt('sender_allow')}
        />
      )}
      {!isMail && (
        <>
          <Select
            label="In channels it answers"
            options={[
              { value: 'mentions', label: 'What mentions it' },
              { value: 'all', label: 'Every message' },
              { value: 'none', label: 'Nothing' },
            ]}
            value={body.all_messages ? 'all' : body.mentions === false ? 'none' : 'mentions'}
            onChange={({ target }) =>
              onChange({ all_messages: target.value === 'all', mentions: target.value !== 'none' })
            }
          />
          <LinesField
            label="Only in these channels"
            hint="One channel’s id a line. None: in all channels."
            rows={2}
            value={body.channels ?? []}
            onChange={(channels) => onChange({ channels })}
            error={faultAt('channels')}
          />
        </>
      )}
    </>
  );
}
