import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import * as Dialog from '@radix-ui/react-dialog';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/call';
import { useWrite } from '../api/hooks';
import { useLacks, useMe } from '../api/permissions';
import { useAgents } from '../api/use-agents';
import { keyStore } from '../session-key/key-store';
import { Icon, useOpener, type IconName } from '../ui';
import { navigation } from './navigation';

const shownMax = 50;

/** A line of the palette. */
interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** Further words that find it. */
  words?: string;
  run: () => void;
}

/** Finds pages and things to do by a few letters: Ctrl+K or ⌘K. */
export function Palette({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  const opener = useOpener();
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      onOpen(!open);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open, onOpen]);
  return (
    <Dialog.Root open={open} onOpenChange={onOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="bg-shade fixed inset-0 z-40" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={opener.note}
          onCloseAutoFocus={opener.giveFocusBack}
          className="bg-surface border-line shadow-raised fixed top-[12dvh] left-1/2 z-50 w-[36rem] max-w-[calc(100vw-1.5rem)] -translate-x-1/2 overflow-hidden rounded-lg border"
        >
          <Dialog.Title className="sr-only">Commands</Dialog.Title>
          <Finder onDone={() => onOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Finder({ onDone }: { onDone: () => void }) {
  const commands = useAllCommands();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const found = useMemo(() => matching(commands, words).slice(0, shownMax), [commands, words]);
  const chosen = found[Math.min(at, found.length - 1)];

  const run = (command: Command): void => {
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setAt((before) => (Math.min(before, found.length - 1) + step + found.length) % found.length);
    }
    if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      run(chosen);
    }
  };
  return (
    <div onKeyDown={onKeyDown}>
      <div className="border-line flex items-center gap-2 border-b px-3.5">
        <span className="text-muted">
          <Icon name="search" />
        </span>
        <input
          type="text"
          role="combobox"
          aria-label="Find a page or a command"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={chosen ? `${id}-${chosen.id}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="Go to a page, or do something…"
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setAt(0);
          }}
          className="text-md placeholder:text-muted h-12 w-full bg-transparent outline-none"
        />
      </div>
      <Found id={id} found={found} chosen={chosen} onPoint={setAt} onRun={run} />
      {found.length === 0 && <p className="text-muted px-4 pb-4">Nothing matches “{words}”.</p>}
    </div>
  );
}

function Found({
  id,
  found,
  chosen,
  onPoint,
  onRun,
}: {
  id: string;
  found: readonly Command[];
  chosen: Command | undefined;
  onPoint: (at: number) => void;
  onRun: (command: Command) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label="Commands" className="max-h-[50dvh] overflow-y-auto p-1.5">
      {found.map((command) => (
        <li
          key={command.id}
          id={`${id}-${command.id}`}
          role="option"
          aria-selected={command === chosen}
          onClick={() => onRun(command)}
          onPointerMove={() => onPoint(found.indexOf(command))}
          className="aria-selected:bg-hover flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5"
        >
          <span className="text-muted">
            <Icon name={command.icon ?? 'chevron'} />
          </span>
          <span className="min-w-0 truncate">{command.label}</span>
        </li>
      ))}
    </ul>
  );
}

/** The pages, a session with each agent, and what is always there. */
function useAllCommands(): Command[] {
  const navigate = useNavigate();
  const { permissions } = useMe();
  const starts = useStarts();
  return useMemo(() => {
    const pages = navigation
      .flatMap(({ lines }) => lines)
      .filter(({ needs }) => needs === undefined || permissions.includes(needs))
      .map(({ to, label, icon }) => ({
        id: `page-${label}`,
        label: `Go to ${label}`,
        icon,
        run: () => void navigate({ to }),
      }));
    const always: Command[] = [{ id: 'log-out', label: 'Log out', icon: 'logout', run: () => keyStore.forget() }];
    return [...pages, ...starts, ...always];
  }, [navigate, permissions, starts]);
}

/** A new session with each of the active agents, where the key may open one. */
function useStarts(): Command[] {
  const navigate = useNavigate();
  const mayStart = useLacks(call('sessions', 'create', { agent_id: '' })) === null;
  const { rows: agents } = useAgents({ status: 'active', enabled: mayStart });
  const start = useWrite(
    (agent_id: string) => call('sessions', 'create', { agent_id, session_key: `console-${crypto.randomUUID()}` }),
    { failed: 'Starting a session failed', onDone: ({ id }) => void navigate({ to: '/sessions/$id', params: { id } }) },
  );
  const { mutate } = start;
  return useMemo(
    () =>
      agents.map(({ id, name }) => ({
        id: `start-${id}`,
        label: `Start a session with ${name}`,
        icon: 'sessions',
        words: 'new chat talk',
        run: () => mutate(id),
      })),
    [agents, mutate],
  );
}

/** Those that have every word, in any case; a label that begins with them first. */
function matching(commands: readonly Command[], words: string): Command[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ label, words: more = '' }: Command) => `${label} ${more}`.toLowerCase();
  return commands
    .filter((command) => wanted.every((word) => text(command).includes(word)))
    .sort((a, b) => Number(text(b).startsWith(wanted[0] ?? '')) - Number(text(a).startsWith(wanted[0] ?? '')));
}
