import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { useLacks } from '../api/permissions';
import type { ApiCall } from '../api/call';
import { classes } from './class-names';
import { Icon, type IconName } from './icon';
import { Tooltip } from './tooltip';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

const looks: Record<Look, string> = {
  plain: 'border border-line bg-surface text-text hover:bg-hover',
  primary: 'border border-transparent bg-accent text-on-accent hover:bg-accent-strong',
  danger: 'border border-transparent bg-bad text-surface hover:bg-bad-strong',
  quiet: 'border border-transparent text-muted hover:bg-hover hover:text-text',
};

interface Offered {
  look?: Look;
  icon?: IconName;
  /** What the button does, a call or a permission: without it the button stays, refuses, and names the permission. */
  needs?: ApiCall | string | null;
  /** Something is under way: the button refuses, and keeps the focus. */
  busy?: boolean;
}

export type ButtonProps = Offered & ComponentProps<'button'>;

const shape =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none ' +
  'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55';

export function Button({ look = 'plain', icon, needs, busy = false, children, className, ...props }: ButtonProps) {
  const refused = useRefusal(needs, busy);
  const button = (
    <button
      type="button"
      {...props}
      {...refused.props}
      className={classes(shape, looks[look], 'h-8 px-3 text-sm', className)}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
  return refused.lacks === null ? button : <Tooltip text={refused.text}>{button}</Tooltip>;
}

/** A button of one icon, with its name for screen readers and as a tooltip. */
export function IconButton({
  label,
  icon,
  look = 'quiet',
  needs,
  busy = false,
  className,
  ...props
}: ButtonProps & { label: string; icon: IconName }) {
  const refused = useRefusal(needs, busy);
  return (
    <Tooltip text={refused.lacks === null ? label : refused.text}>
      <button
        type="button"
        aria-label={label}
        {...props}
        {...refused.props}
        className={classes(shape, looks[look], 'size-8', className)}
      >
        <Icon name={icon} />
      </button>
    </Tooltip>
  );
}

/** What a control shows that cannot be used now or by this key: it can be reached, so that its reason can be read. */
function useRefusal(
  needs: Offered['needs'],
  busy: boolean,
): {
  lacks: string | null;
  text: ReactNode;
  props: { 'aria-disabled'?: true; 'aria-description'?: string; onClick?: (event: MouseEvent) => void };
} {
  const lacks = useLacks(needs);
  const onClick = (event: MouseEvent): void => event.preventDefault();
  if (lacks === null) return { lacks, text: null, props: busy ? { 'aria-disabled': true, onClick } : {} };
  const text = `Needs the permission ${lacks}`;
  return { lacks, text, props: { 'aria-disabled': true, 'aria-description': text, onClick } };
}
