import type { ToolSpec } from '../tool.ts';

type Effects = ToolSpec['effects'];

/** A call that a program asked for, before it was performed. `program`: the call that runs it. */
export type Intent = {
  readonly program: string;
  readonly id: string;
  readonly tool: string;
  /** As the tool was given it: a keyed effect happens once for it. */
  readonly key: string;
  readonly effects: Effects;
};

/**
 * What programs asked for, kept where it outlives the process that performed it. Only for as long as
 * it can be in doubt: a program that ended has told everything.
 */
export interface CallJournal {
  /** Durable when it resolves; nothing is performed before. */
  intend(intent: Intent): Promise<void>;
  /** Its outcome is known. Need not be durable: a lost word leaves a call in doubt that was none. */
  settle(intent: Intent): void;
  /** The calls of a program whose outcome nobody knows, in the order they were asked for. */
  unsettled(program: string): Promise<readonly Intent[]>;
  forget(program: string): Promise<void>;
}

/** In words for the model; empty if there is nothing to say. */
export function tellDoubts(intents: readonly Pick<Intent, 'id' | 'tool' | 'effects'>[]): string {
  const doubtful = intents.filter(({ effects }) => effects !== 'none');
  if (doubtful.length === 0) return '';
  const shown = doubtful
    .slice(0, doubtsShownMax)
    .map(({ tool, id, effects }) => `- ${tool} (call ${id}, ${effects})`);
  const rest = doubtful.length - shown.length;
  return [
    'In doubt: these calls of the program were begun, and it is not known whether they took effect. Check before you repeat one.',
    ...shown,
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ].join('\n');
}

const doubtsShownMax = 20;
