import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { objectOf, textOf } from '../../feed/wire-json.ts';
import type { Interrupt } from '../../projections/langgraph/thread-state.ts';

type Answer = { readonly kind: string; readonly payload: JsonObject };

/**
 * The answers in `command.resume` to the interrupts of a thread: one value for all of them, or a value by the id of each. An approval
 * takes a boolean, `{ allow }`, a word, or LangChain's `decisions`; a call takes its result. Refusals `turn_closed`, `invalid_input`.
 */
export function answersOf(resume: unknown, interrupts: readonly Interrupt[]): readonly Answer[] {
  if (interrupts.length === 0) throw new Refusal('turn_closed', 'nothing waits in this thread');
  const given = (resume ?? null) as Json;
  const byId = isJsonObject(given) && interrupts.some(({ id }) => Object.hasOwn(given, id));
  const answers = interrupts.flatMap((interrupt) => {
    if (!byId) return [answerTo(interrupt, given)];
    const own = given[interrupt.id];
    return own === undefined ? [] : [answerTo(interrupt, own)];
  });
  return answers;
}

function answerTo({ id, value }: Interrupt, given: Json): Answer {
  if (value['type'] === 'approval') {
    return { kind: 'approval.decision', payload: { request: id, ...decisionOf(given) } };
  }
  const isResult = isJsonObject(given) && typeof given['ok'] === 'boolean';
  const result: JsonObject = isResult ? given : { ok: true, ret: given };
  return { kind: 'external.result', payload: { ...result, call: id } };
}

const yes = new Set([
  'approve',
  'approved',
  'accept',
  'accepted',
  'allow',
  'yes',
  'y',
  'true',
  'ok',
]);
const no = new Set(['reject', 'rejected', 'ignore', 'deny', 'denied', 'no', 'n', 'false']);

function decisionOf(given: Json): JsonObject {
  if (typeof given === 'boolean') return { allow: given };
  if (typeof given === 'string') return { allow: isAllowed(given) };
  const [listed = given] = [given].flat();
  const decision = objectOf(listed);
  if (typeof decision['allow'] === 'boolean') return known(decision);
  const { decisions } = decision;
  if (Array.isArray(decisions) && decisions.length > 0) return decisionOf(decisions[0] ?? null);
  if (decision['type'] === 'edit') {
    const { edited_action: action, args } = decision;
    const input = objectOf(action)['args'] ?? objectOf(args)['args'] ?? args ?? {};
    return { allow: true, input };
  }
  return { allow: isAllowed(textOf(decision['type'] ?? decision['decision'] ?? '')) };
}

function known({ allow = false, remember, input }: JsonObject): JsonObject {
  return {
    allow,
    ...(remember === undefined ? {} : { remember }),
    ...(input === undefined ? {} : { input }),
  };
}

function isAllowed(word: string): boolean {
  const asked = word.trim().toLowerCase();
  if (yes.has(asked)) return true;
  if (no.has(asked)) return false;
  throw new Refusal('invalid_input', 'command.resume: say true, false, or { allow }');
}
