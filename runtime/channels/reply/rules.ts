import type { ActionIdentity } from '../decision/action-identity.ts';
import { actionsMaxDefault, bundleActionsMax, declinedActionsMax } from '../protocol/limits.ts';
import { type Violation, violation } from '../protocol/violation.ts';

/** `exploration` obtains information, `exploitation` creates or changes something, `neutral` does neither. A tool without traits is unknown. */
type ToolTrait = 'exploration' | 'exploitation' | 'neutral';

/** What the rules need to know about a tool. */
export type ToolFacts = {
  readonly traits: readonly ToolTrait[];
  /** `exec`: uses the code channel after the decision. */
  readonly kind: string;
  readonly language?: 'python' | 'javascript';
};

/**
 * Which actions of one reply are carried out. `off`: one; a second one is a violation. `first_only`: the first one.
 * `safe_fanout`: several in order, if their traits allow it. `bundle`: all calls, in order. With `first_only` and `bundle`,
 * and wherever the rules have `declines`, calls that do not run are recorded as not executed.
 */
export const multiActions = ['off', 'first_only', 'safe_fanout', 'bundle'] as const;
export type MultiAction = (typeof multiActions)[number];

export type ActionRules = {
  readonly multiAction: MultiAction;
  readonly actionsMax?: number;
  /** The calls of a reply are calls of the provider: the model remembers each of them, also one that did not run. */
  readonly declines?: boolean;
  /** Answers are checked before they are shown, so no answer streams. */
  readonly answersHeld?: boolean;
  /** Undefined: unknown tool. It is accepted as the only action; its call then fails with `tool_not_found`. */
  traitsOf(tool: string): ToolFacts | undefined;
};

/**
 * `declined`: the call is recorded as not executed, for the reason in `message`, and the reply goes on. `refused`: the
 * reply ends here.
 */
export type Verdict =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'declined'; readonly message: string }
  | { readonly kind: 'refused'; readonly violation: Violation };

/** Checks the actions of one reply in order. The first refused action and all answers after it are not carried out. */
export interface Judge {
  admit(identity: ActionIdentity): Verdict;
  /** An accepted action is unusable: no action may follow it. */
  reject(): void;
}

/**
 * The only place that defines which actions one reply may contain. The model sees the results of a reply in the next
 * one, so an action that depends on a result must wait: no changes after a search, no answer after a non-neutral action.
 * Every trait of a tool with several traits must be allowed.
 */
export function createJudge(rules: ActionRules): Judge {
  const accepted: ActionIdentity[] = [];
  let rejected = false;
  let declined = 0;
  return {
    admit(identity) {
      const problem = rejected
        ? afterRejected()
        : (overLimit(identity, accepted, rules) ?? misplaced(identity, accepted, rules));
      if (problem === undefined) {
        accepted.push(identity);
        return { kind: 'accepted' };
      }
      if (declinesCalls(rules) && accepted.length > 0 && identity.action === 'call_tool') {
        declined += 1;
        if (declined <= declinedActionsMax) return { kind: 'declined', message: problem.message };
      }
      rejected = true;
      return { kind: 'refused', violation: problem };
    },
    reject() {
      rejected = true;
    },
  };
}

/** Whether calls that do not run are recorded as not executed, instead of ending the reply as a violation. */
export function declinesCalls({ multiAction, declines = false }: ActionRules): boolean {
  return declines || multiAction === 'first_only' || multiAction === 'bundle';
}

/** How many actions of one reply may run. */
export function actionsLimit({
  multiAction,
  actionsMax,
}: Pick<ActionRules, 'multiAction' | 'actionsMax'>): number {
  if (multiAction === 'bundle') return Math.min(actionsMax ?? bundleActionsMax, bundleActionsMax);
  return multiAction === 'safe_fanout' ? (actionsMax ?? actionsMaxDefault) : 1;
}

function overLimit(
  candidate: ActionIdentity,
  accepted: readonly ActionIdentity[],
  rules: ActionRules,
): Violation | undefined {
  const limit = actionsLimit(rules);
  if (accepted.length < limit) return undefined;
  const most = limit === 1 ? 'one action' : `${limit} actions`;
  const message = `A reply may hold ${most}, so ${actionName(candidate)} was not carried out. Continue in the next round, when you see the results.`;
  return violation('multi_action_bundle_too_many_actions', message, { limit });
}

function misplaced(
  candidate: ActionIdentity,
  accepted: readonly ActionIdentity[],
  rules: ActionRules,
): Violation | undefined {
  for (const earlier of accepted) {
    const refusal =
      candidate.action === 'call_tool'
        ? toolAfter(candidate.tool, earlier, rules)
        : finalAfter(earlier, rules);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function finalAfter(earlier: ActionIdentity, rules: ActionRules): Violation | undefined {
  if (earlier.action !== 'call_tool') {
    const message = 'A reply may hold one final answer; the first one counts.';
    return violation('multi_action_bundle_final_answer_not_allowed', message);
  }
  if (isNeutral(earlier.tool, rules)) return undefined;
  const message = `The answer came in the same reply as ${earlier.tool}, whose result you have not seen. It was not shown. Read the result in the next round, then answer.`;
  const detail = { tool_id: earlier.tool };
  return violation('multi_action_bundle_final_answer_after_non_neutral', message, detail);
}

function toolAfter(
  tool: string,
  earlier: ActionIdentity,
  rules: ActionRules,
): Violation | undefined {
  if (earlier.action === 'call_tool') {
    return rules.multiAction === 'bundle' ? undefined : toolAfterTool(tool, earlier.tool, rules);
  }
  if (isNeutral(tool, rules)) return undefined;
  const message = `${tool} came after the final answer and was not called. Call tools first; answer when you have seen their results.`;
  const detail = { tool_id: tool };
  return violation('multi_action_bundle_non_neutral_after_final_answer', message, detail);
}

function toolAfterTool(tool: string, earlier: string, rules: ActionRules): Violation | undefined {
  const [before, after] = [traitsOf(earlier, rules), traitsOf(tool, rules)];
  const detail = { tool_id: tool, after: earlier };
  if (before.length === 0 || after.length === 0) {
    const message = aloneText(tool, before.length === 0 ? earlier : tool, rules);
    return violation('multi_action_bundle_unsafe_tool', message, detail);
  }
  if (!before.includes('exploration') || !after.includes('exploitation')) return undefined;
  const message = `${tool} makes or changes something and came in the same reply as ${earlier}, whose result you have not seen. It was not called. Read the result first.`;
  return violation('multi_action_bundle_strategy_incompatible', message, detail);
}

/** Why a tool did not run: `alone` may not share a reply. */
function aloneText(tool: string, alone: string, rules: ActionRules): string {
  const unknown = [tool, alone].find((id) => !rules.traitsOf(id));
  const why =
    unknown === undefined
      ? `${alone} must be the only action of a reply`
      : `The tool ${unknown} does not exist`;
  if (unknown === tool) return `${why}. Use an id of # Tools.`;
  return `${why}, so ${tool} was not called. Call it in the next round.`;
}

/** The name of an action in messages. */
export function actionName(identity: ActionIdentity): string {
  return identity.action === 'call_tool' ? identity.tool : identity.action;
}

function afterRejected(): Violation {
  const message =
    'An earlier action of this reply was not accepted, so this one was not carried out. Fix the earlier one first.';
  return violation('multi_action_bundle_after_rejected', message);
}

function isNeutral(tool: string, rules: ActionRules): boolean {
  const traits = traitsOf(tool, rules);
  return traits.length > 0 && traits.every((trait) => trait === 'neutral');
}

function traitsOf(tool: string, rules: ActionRules): readonly ToolTrait[] {
  return rules.traitsOf(tool)?.traits ?? [];
}
