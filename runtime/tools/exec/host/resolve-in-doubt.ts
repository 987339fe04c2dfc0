import { setMaxListeners } from 'node:events';
import { isJsonObject, parseJson } from '../../../base/json.ts';
import { Work } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { CallId, TurnId } from '../../../timeline/ids.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';
import { inDoubtNotice, inDoubtText, isOutcomeUnknown } from '../../results/in-doubt.ts';
import { cutText } from '../../text/cut-text.ts';
import { callsNamedMax, inputShownChars, repeatsAtOnceMax } from '../limits.ts';
import { type NestedCallParts, runKeyedCall } from './nested-call.ts';

/** The outcomes of the calls with effects of an interrupted program. */
export type CallOutcomes = {
  /** Finished calls whose outcome the program may not have received. */
  readonly ended: readonly ProgramCall[];
  /** Calls of unknown outcome that were just repeated under their own keys. */
  readonly repeated: readonly ProgramCall[];
  /** Calls that began and may or may not have taken effect. */
  readonly inDoubt: readonly ProgramCall[];
};

/**
 * Resolves unknown outcomes where possible: a keyed call is repeated with its own key, so that its effect happens exactly
 * once. All other open calls stay in doubt.
 */
export async function resolveInDoubt(
  calls: readonly ProgramCall[],
  nested: NestedCallParts,
): Promise<CallOutcomes> {
  const open = calls.filter(({ outcome }) => outcome === undefined);
  using work = new Work(nested.signal);
  const { signal } = work;
  setMaxListeners(listenersPerCall * repeatsAtOnceMax, signal);
  const repeated: ProgramCall[] = [];
  for (let at = 0; at < open.length; at += repeatsAtOnceMax) {
    const some = open.slice(at, at + repeatsAtOnceMax);
    const outcomes = await Promise.all(some.map((call) => repeat(call, { ...nested, signal })));
    repeated.push(...some.flatMap((call, n) => withOutcome(call, outcomes[n])));
  }
  const settled = new Set(repeated.map(({ id }) => id));
  return {
    ended: calls.filter(({ outcome }) => outcome !== undefined),
    repeated,
    inDoubt: open.filter(({ id }) => !settled.has(id)),
  };
}

const listenersPerCall = 4;

function withOutcome(call: ProgramCall, outcome: string | undefined): readonly ProgramCall[] {
  return outcome === undefined ? [] : [{ ...call, outcome }];
}

/** The outcome of the repeated call; undefined if it is still unknown. */
async function repeat(call: ProgramCall, nested: NestedCallParts): Promise<string | undefined> {
  const tool = nested.granted.find(({ spec }) => spec.id === call.tool);
  // Check the current tool too: if it is no longer keyed, it must not be called twice.
  const keyed = call.effects === 'keyed' && tool?.spec.effects === 'keyed';
  if (!keyed || call.input === undefined || nested.signal.aborted) return undefined;
  const input = parseJson(call.input);
  if (!isJsonObject(input)) return undefined;
  // The call had begun, so guards had admitted it; they do not decide again.
  const marks = { admitted: true, repeated: true } as const;
  const again = { id: call.id, tool, input, key: call.key, ...marks };
  const result = await runKeyedCall(again, nested);
  if (isOutcomeUnknown(result)) return undefined;
  const outcome = result.ok ? 'ok' : result.error.code;
  nested.context.journal?.end(call.id, outcome);
  return outcome;
}

/** A text for the model; empty if all lists are empty. */
export function outcomesText({ ended, repeated, inDoubt }: CallOutcomes): string {
  return [
    listCalls(inDoubtText, inDoubt),
    listCalls(
      'Cut off, and repeated just now under their own keys, so that each took effect once:',
      repeated,
    ),
    listCalls('Done before the end; do not repeat them:', ended),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A notice for people too: clients do not show text that only the model reads. */
export function inDoubtNotices(
  { inDoubt }: CallOutcomes,
  place: { readonly turn: TurnId; readonly call: CallId },
): readonly Draft[] {
  return inDoubt.length === 0 ? [] : [inDoubtNotice(place, inDoubt)];
}

function listCalls(heading: string, calls: readonly ProgramCall[]): string {
  if (calls.length === 0) return '';
  const shown = calls.slice(0, callsNamedMax).map(line);
  const rest = calls.length - shown.length;
  return [heading, ...shown, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
}

function line({ tool, id, effects, input = '', outcome }: ProgramCall): string {
  const asked = input.length > inputShownChars ? `${cutText(input, inputShownChars)}…` : input;
  const end = outcome === undefined ? '' : `: ${outcome}`;
  return `- ${tool} ${asked} (call ${id}, ${effects})${end}`;
}
