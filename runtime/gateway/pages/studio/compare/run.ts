import { logPath } from '../data/server.ts';
import { useInterval } from '../data/use-interval.ts';
import { type Loaded, useJson } from '../data/use-json.ts';
import type { Rounds, Turn } from '../data/wire.ts';

/** How often a run that has not ended is read again. */
const followEveryMs = 1_000;

/** One turn of one conversation, as an address names it: `conv_…/turn_…`. */
export type Run = {
  readonly conversation: string;
  readonly log: Rounds | undefined;
  /** Undefined: not loaded, or there is no such turn yet. */
  readonly turn: Turn | undefined;
  readonly error: Loaded<Rounds>['error'];
};

export function useRun(named: string | undefined): Run | undefined {
  const [conversation = '', wanted] = named?.split('/') ?? [];
  const url = conversation === '' ? undefined : logPath(conversation, 'rounds');
  const first = useJson<Rounds>(url);
  const known = turnOf(first.data, wanted);
  const version = useInterval(url && known?.reason === undefined ? followEveryMs : 0);
  const { data = first.data, error } = useJson<Rounds>(url, version);
  if (url === undefined) return undefined;
  return { conversation, log: data, turn: turnOf(data, wanted), error };
}

function turnOf(log: Rounds | undefined, wanted: string | undefined): Turn | undefined {
  return log?.turns.find(({ turn }) => turn === wanted) ?? (wanted ? undefined : log?.turns.at(-1));
}
