import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useLiveState } from '../api/live';
import { useMe } from '../api/permissions';
import { keyStore } from '../session-key/key-store';
import { classes, Icon, IconButton, Tooltip } from '../ui';
import { navigation, type NavLine } from './navigation';
import { Palette } from './palette';

/** What stands around every page: the side bar with its links, and the palette. */
export function Layout() {
  const [navOpen, setNavOpen] = useState(false);
  const [paletteOpen, setPaletteOpen] = useState(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const before = useRef(pathname);
  const menu = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    setNavOpen(false);
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [pathname]);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !navOpen) return;
    setNavOpen(false);
    menu.current?.focus(); // what had the focus is hidden
  };

  return (
    <>
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only z-50 rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <div className="min-h-dvh md:grid md:grid-cols-[14.5rem_minmax(0,1fr)]" onKeyDown={onKeyDown}>
        <header className="border-line bg-surface sticky top-0 z-30 flex h-12 items-center gap-2 border-b px-3 md:hidden">
          <IconButton
            ref={menu}
            label="Menu"
            icon="menu"
            aria-expanded={navOpen}
            aria-controls="side"
            onClick={() => setNavOpen(!navOpen)}
          />
          <Brand />
          <span className="flex-1" />
          <IconButton label="Commands" icon="search" onClick={() => setPaletteOpen(true)} />
        </header>
        <aside
          id="side"
          aria-label="Console"
          className={classes(
            'border-line bg-canvas z-20 flex-col border-r md:sticky md:top-0 md:flex md:h-dvh',
            navOpen ? 'fixed inset-0 top-12 flex overflow-y-auto' : 'hidden',
          )}
        >
          <Side onCommands={() => setPaletteOpen(true)} />
        </aside>
        <main ref={main} id="main" tabIndex={-1} className="min-w-0 outline-none">
          <Outlet />
        </main>
      </div>
      <Palette open={paletteOpen} onOpen={setPaletteOpen} />
    </>
  );
}

function Side({ onCommands }: { onCommands: () => void }) {
  const { permissions } = useMe();
  return (
    <>
      <div className="hidden h-14 items-center px-4 md:flex">
        <Brand />
      </div>
      <div className="px-3 pt-3 pb-2 md:pt-0">
        <button
          type="button"
          onClick={onCommands}
          className="border-line bg-surface text-muted hover:text-text flex h-8 w-full items-center gap-2 rounded-md border px-2.5"
        >
          <Icon name="search" />
          <span className="flex-1 text-left">Find…</span>
          <kbd className="text-2xs font-sans">{/Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      </div>
      <nav aria-label="Pages" className="flex flex-1 flex-col gap-3 overflow-y-auto px-3 py-1">
        {navigation
          .filter(({ lines }) => lines.length > 0)
          .map(({ group, lines }) => (
            <div key={group ?? 'top'} className="flex flex-col gap-0.5">
              {group !== null && <p className="text-muted text-2xs px-2.5 pb-0.5 font-medium">{group}</p>}
              {lines.map((line) => (
                <NavLink
                  key={line.to}
                  line={line}
                  lacks={line.needs !== undefined && !permissions.includes(line.needs) ? line.needs : null}
                />
              ))}
            </div>
          ))}
      </nav>
      <WhoAmI />
    </>
  );
}

function NavLink({ line: { to, label, icon }, lacks }: { line: NavLine; lacks: string | null }) {
  const shape = 'flex h-8 items-center gap-2.5 rounded-md px-2.5 font-medium';
  if (lacks !== null)
    return (
      <Tooltip text={`Needs the permission ${lacks}`}>
        <span
          tabIndex={0}
          aria-disabled="true"
          role="link"
          aria-description={`Needs the permission ${lacks}`}
          className={classes(shape, 'text-muted opacity-70')}
        >
          <Icon name={icon} />
          {label}
        </span>
      </Tooltip>
    );
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className={shape}
      activeProps={{ className: 'bg-accent-soft text-accent', 'aria-current': 'page' }}
      inactiveProps={{ className: 'text-muted hover:bg-hover hover:text-text' }}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
}

function Brand() {
  const { organization } = useMe();
  return (
    <Link to="/" className="flex min-w-0 items-center gap-2.5 font-semibold">
      <span className="bg-accent text-on-accent flex size-6 items-center justify-center rounded-md">
        <Icon name="events" size={14} />
      </span>
      <span className="truncate">{organization.name}</span>
    </Link>
  );
}

const liveWords = {
  opening: ['bg-line-strong', 'Connecting to the event stream'],
  live: ['bg-good', 'Live: changes appear as they happen'],
  away: ['bg-warn', 'The event stream is away: trying again'],
  off: ['bg-line-strong', 'Not live: this key may not read events'],
} as const;

function WhoAmI() {
  const { principal, api_key: key } = useMe();
  const [colour, words] = liveWords[useLiveState()];
  return (
    <div className="border-line flex items-center gap-2.5 border-t px-4 py-2.5">
      <Tooltip text={words}>
        <span role="img" aria-label={words} tabIndex={0} className={classes('size-2 rounded-full', colour)} />
      </Tooltip>
      <div className="min-w-0 flex-1">
        <p className="truncate text-xs font-medium">{principal.name}</p>
        <p className="text-muted text-2xs truncate">{key.name}</p>
      </div>
      <IconButton label="Log out" icon="logout" onClick={() => keyStore.forget()} />
    </div>
  );
}
