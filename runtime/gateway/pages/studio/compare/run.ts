import { useEffect, useState } from 'react';
import { useHeads } from '../data/events.ts';
import { logPath } from '../data/server.ts';
import { type Loaded, useJson } from '../data/use-json.ts';
import type { Rounds, Turn } from '../data/wire.ts';

/** One turn of one conversation, as an address names it: `conv_…/turn_…`. */
export type Run = {
  readonly conversation: string;
  readonly log: Rounds | undefined;
  /** Undefined: not loaded, or the turn does not exist yet. */
  readonly turn: Turn | undefined;
  readonly error: Loaded<Rounds>['error'];
};

export function useRun(named: string | undefined): Run | undefined {
  const [conversation = '', wanted] = named?.split('/') ?? [];
  const url = conversation === '' ? undefined : logPath(conversation, 'rounds');
  const [known, setKnown] = useState<Rounds>();
  const version = useHeads(url && logPath(conversation, 'heads'), known);
  const { data, error } = useJson<Rounds>(url, version);
  useEffect(() => setKnown(data), [data]);
  if (url === undefined) return undefined;
  return { conversation, log: data, turn: turnOf(data, wanted), error };
}

function turnOf(log: Rounds | undefined, wanted: string | undefined): Turn | undefined {
  return log?.turns.find(({ turn }) => turn === wanted) ?? (wanted ? undefined : log?.turns.at(-1));
}
