import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { deadlineOf } from '../fold/fold-waits.ts';
import type { TurnId } from '../ids.ts';
import type { ApprovalView, CallView, TurnView, View } from '../view.ts';

/** What a call is waiting for. */
export type Wait = {
  readonly for: 'approval' | 'external' | 'agent' | 'plan';
  readonly request: Block;
  /** Milliseconds since 1970. */
  readonly untilMs: number;
  /** The first answer in time. */
  readonly answer: Block | undefined;
};

/** Undefined: the call is not waiting, or it has its result. */
export function waitOf({
  approval,
  external,
  delegated,
  plan,
  result,
}: CallView): Wait | undefined {
  if (result) return undefined;
  const open = approval && approvalWait(approval);
  if (open) return open;
  // Each step has its own deadline.
  if (plan) {
    const untilMs = Number.POSITIVE_INFINITY;
    return { for: 'plan', request: plan.request, untilMs, answer: undefined };
  }
  if (delegated) {
    return { for: 'agent', request: delegated, untilMs: deadlineOf(delegated), answer: undefined };
  }
  if (!external) return undefined;
  const { request, answer } = external;
  return { for: 'external', request, untilMs: deadlineOf(request), answer };
}

/** The call was handed off to the caller, with its input: the turn closes without its result. */
export function isHandedOff({ external, result }: CallView): boolean {
  const asked = !result && external ? dataOf('external.call', external.request) : undefined;
  return asked?.handed_off === true;
}

/** What a failed call is waiting for: the decision of a person whether the turn goes on. */
export function escalationOf({ escalation }: CallView): Wait | undefined {
  return escalation && approvalWait(escalation);
}

/** Undefined: the approval is closed. */
export function approvalWait({ request, decision, closed }: ApprovalView): Wait | undefined {
  if (closed) return undefined;
  return { for: 'approval', request, untilMs: deadlineOf(request), answer: decision };
}

/**
 * Total time that a turn and its calls have waited for people and clients, which is not working time of the turn. In a fork:
 * since the turn was resumed.
 */
export function waitedMs(turn: TurnView, nowMs: number): number {
  const spans = turn.rounds
    .flatMap(({ calls }) => calls)
    .flatMap(({ approval, escalation, external, result }) => [
      ...spanOf(escalation?.request, escalation?.closed),
      ...spanOf(approval?.request, approval?.closed ?? result),
      ...spanOf(external?.request, result),
    ]);
  const sinceMs = turn.resumed && Date.parse(turn.resumed.at);
  return totalMs([...spans, ...approvalSpans(turn.approvals)], { nowMs, sinceMs });
}

/** Total time for which approvals have waited for a person. Time in which two wait counts once. */
export function approvalMs(approvals: readonly ApprovalView[], nowMs: number): number {
  return totalMs(approvalSpans(approvals), { nowMs });
}

type Span = { readonly fromMs: number; readonly untilMs: number | undefined };

function approvalSpans(approvals: readonly ApprovalView[]): readonly Span[] {
  return approvals.flatMap(({ request, closed }) => spanOf(request, closed));
}

function spanOf(from: Block | undefined, until: Block | undefined): readonly Span[] {
  if (!from) return [];
  return [{ fromMs: Date.parse(from.at), untilMs: until && Date.parse(until.at) }];
}

type Period = { readonly nowMs: number; readonly sinceMs?: number | undefined };

function totalMs(spans: readonly Span[], { nowMs, sinceMs }: Period): number {
  let total = 0;
  let countedMs = sinceMs ?? Number.NEGATIVE_INFINITY;
  for (const { fromMs, untilMs = nowMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    total += Math.max(0, untilMs - Math.max(fromMs, countedMs));
    countedMs = Math.max(countedMs, untilMs);
  }
  return total;
}

/** The newest decision of a user about a tool that applies to more than one call and is valid in this turn. */
export function rememberedDecision(
  view: View,
  { tool, turn }: { tool: string; turn: TurnId },
): boolean | undefined {
  const said = view.turns
    .filter(({ id }) => id === turn)
    .flatMap(({ rounds }) => rounds.flatMap(({ calls }) => calls))
    .filter((call) => call.tool === tool)
    .flatMap(({ approval }) => approval?.closed ?? [])
    .filter(stands)
    .at(-1);
  return said
    ? dataOf('approval.close', said)?.outcome === 'allowed'
    : view.toolDecisions.get(tool);
}

function stands(block: Block): boolean {
  const { outcome, remember } = dataOf('approval.close', block) ?? {};
  return (outcome === 'allowed' || outcome === 'denied') && remember !== 'once';
}
