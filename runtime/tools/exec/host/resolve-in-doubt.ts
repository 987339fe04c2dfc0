import { setMaxListeners } from 'node:events';
import { isJsonObject, parseJson } from '../../../base/json.ts';
import { Work } from '../../../base/signal.ts';
import type { Draft } from '../../../timeline/block.ts';
import type { ProgramCall } from '../../../timeline/ports/store.ts';
import { inDoubtNotice, inDoubtText, isOutcomeUnknown } from '../../results/in-doubt.ts';
import { cutText } from '../../text/cut-text.ts';
import { callsNamedMax, inputShownChars, repeatsAtOnceMax } from '../limits.ts';
import { type NestedCallParts, runKeyedCall } from './nested-call.ts';

/** What became of the calls with effects of a program that was cut off. */
export type CallOutcomes = {
  /** Those whose outcome the program may not have heard. */
  readonly ended: readonly ProgramCall[];
  /** Begun, of unknown outcome, and just made again under their own keys. */
  readonly repeated: readonly ProgramCall[];
  /** Begun, and nobody knows whether they took effect. */
  readonly inDoubt: readonly ProgramCall[];
};

/**
 * Makes certain what can be: a keyed call whose outcome is unknown is made again with its own key, so that its effect
 * happens once whether or not it had. Everything else that is open stays in doubt.
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

/** Undefined: it is as uncertain as before. */
async function repeat(call: ProgramCall, nested: NestedCallParts): Promise<string | undefined> {
  const tool = nested.granted.find(({ spec }) => spec.id === call.tool);
  // As it is now: a tool that has lost its key since may not be called twice.
  const keyed = call.effects === 'keyed' && tool?.spec.effects === 'keyed';
  if (!keyed || call.input === undefined || nested.signal.aborted) return undefined;
  const input = parseJson(call.input);
  if (!isJsonObject(input)) return undefined;
  // It had begun, so guards had let it pass: whether it took effect is not for them to decide again.
  const marks = { admitted: true, repeated: true } as const;
  const again = { id: call.id, tool, input, key: call.key, ...marks };
  const result = await runKeyedCall(again, nested);
  if (isOutcomeUnknown(result)) return undefined;
  const outcome = result.ok ? 'ok' : result.error.code;
  nested.context.journal?.end(call.id, outcome);
  return outcome;
}

/** In words for the model; empty if there is nothing to say. */
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

/** For people as well: no client shows what only the model reads. */
export function inDoubtNotices(
  { inDoubt }: CallOutcomes,
  place: { readonly turn: string; readonly call: string },
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
