import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import type { IconName } from '../ui';

/** A line of the palette. */
export interface Command {
  id: string;
  label: string;
  icon?: IconName;
  /** Further words that find it. */
  words?: string;
  run: () => void;
}

class CommandList {
  private readonly groups = new Map<symbol, readonly Command[]>();

  add(commands: readonly Command[]): () => void {
    const key = Symbol();
    this.groups.set(key, commands);
    return () => this.groups.delete(key);
  }

  all(): Command[] {
    return [...this.groups.values()].flat();
  }
}

const CommandsContext = createContext<CommandList | null>(null);

export function CommandsProvider({ children }: { children: ReactNode }) {
  const [list] = useState(() => new CommandList());
  return <CommandsContext value={list}>{children}</CommandsContext>;
}

export function useCommandList(): CommandList {
  const list = useContext(CommandsContext);
  if (list === null) throw new Error('commands are used outside the shell');
  return list;
}

/** Puts lines into the palette while a page is shown. Pass a list that keeps its identity, as `useMemo` gives. */
export function useCommands(commands: readonly Command[]): void {
  const list = useCommandList();
  useEffect(() => list.add(commands), [list, commands]);
}
