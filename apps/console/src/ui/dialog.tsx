import * as Radix from '@radix-ui/react-dialog';
import type { ReactNode } from 'react';
import { IconButton } from './button';
import { useOpener } from './use-opener';

/** A window over the page. Escape and the shade close it; the focus goes back to what opened it. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  wide = false,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
}) {
  const opener = useOpener();
  const takeFocus = (event: Event): void => {
    opener.note();
    focusFirst(event);
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="bg-shade fixed inset-0 z-40" />
        <Radix.Content
          data-modal
          onOpenAutoFocus={takeFocus}
          onCloseAutoFocus={opener.giveFocusBack}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={`bg-surface border-line shadow-raised fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4">
            <Radix.Title className="pt-1 text-lg font-semibold">{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" icon="close" />
            </Radix.Close>
          </header>
          <div data-body className="flex min-h-0 flex-col gap-4 overflow-y-auto px-5 pt-2 pb-5">
            {description !== undefined && (
              <Radix.Description className="text-muted text-sm">{description}</Radix.Description>
            )}
            {children}
          </div>
          {footer && (
            <footer className="border-line bg-sunken flex flex-wrap justify-end gap-2 rounded-b-lg border-t px-5 py-3">
              {footer}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/**
 * The first field has the focus, where the window begins with one; else the window itself: on a button its tooltip
 * would open, and a field farther down would scroll what stands before it away. A field must not take the focus by
 * itself: what opened the window would not be known any more.
 */
function focusFirst(event: Event): void {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLElement)) return;
  const first = event.currentTarget.querySelector('[data-body] :is(input, textarea, select, button, a, [tabindex])');
  const isField = first instanceof HTMLElement && first.matches('input:not([type=file]), textarea, select');
  (isField ? first : event.currentTarget).focus();
}
