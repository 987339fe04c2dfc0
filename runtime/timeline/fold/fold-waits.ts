import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { ApprovalView, CallView } from '../view.ts';
import type { MutableRound } from './mutable-view.ts';

/** Applies a block to a waiting call: request, answer or end. Ignores all other blocks. */
export function foldWait(round: MutableRound | undefined, block: Block): void {
  if (!round) return;
  const id = waiting(block);
  const index = round.calls.findIndex((each) => each.call === id || isEscalated(each, id));
  const before = round.calls[index];
  const after = before && (before.result ? nextEscalation(before, block) : next(before, block));
  if (after) round.calls.splice(index, 1, after);
}

/** Applies a block to the approvals that a turn itself requests. False: the block is about something else. */
export function foldTurnApproval(approvals: ApprovalView[], block: Block): boolean {
  if (block.call !== undefined || !approvalTypes.has(block.type)) return false;
  const id = requestOf(block);
  const index = approvals.findIndex(({ request }) => requestOf(request) === id);
  const after = nextApproval(approvals[index], block);
  if (after && index < 0) approvals.push(after);
  else if (after) approvals[index] = after;
  return index >= 0 || after !== undefined;
}

const approvalTypes: ReadonlySet<string> = new Set([
  ...['approval.request', 'approval.decision', 'approval.close'],
]);

function requestOf({ data }: Block): unknown {
  return isJsonObject(data) ? data['request'] : undefined;
}

function isEscalated({ escalation }: CallView, request: string | undefined): boolean {
  return (
    escalation !== undefined && dataOf('approval.request', escalation.request)?.request === request
  );
}

/** Answers arrive from outside the round but are not events: they are not messages to the agent. */
export function isAnswer({ type }: Block): boolean {
  return type === 'approval.decision' || type === 'external.result';
}

/** The call that a block refers to. */
function waiting(block: Block): string | undefined {
  if (block.type === 'approval.decision') return dataOf('approval.decision', block)?.request;
  if (block.type === 'external.result') return dataOf('external.result', block)?.call;
  return block.call;
}

function next(call: CallView, block: Block): CallView | undefined {
  const { external } = call;
  switch (block.type) {
    case 'approval.request':
    case 'approval.decision':
    case 'approval.close': {
      const approval = nextApproval(call.approval, block);
      return approval && { ...call, approval };
    }
    case 'external.call':
      return external ? undefined : { ...call, external: { request: block } };
    case 'agent.plan':
      return { plan: { request: block, started: [], ended: [] }, ...call };
    case 'agent.call':
      return call.plan ? nextPlan(call, 'started', block) : { delegated: block, ...call };
    case 'agent.result':
      return nextPlan(call, 'ended', block);
    case 'external.result':
      if (!external || external.answer || !isInTime(external.request, block)) return undefined;
      return { ...call, external: { ...external, answer: block } };
    default:
      return undefined;
  }
}

/** The first block of a step counts. */
function nextPlan(call: CallView, part: 'started' | 'ended', block: Block): CallView | undefined {
  const { plan } = call;
  const step = stepOf(block);
  if (!plan || plan[part].some((each) => stepOf(each) === step)) return undefined;
  return { ...call, plan: { ...plan, [part]: [...plan[part], block] } };
}

function stepOf({ data }: Block): unknown {
  return isJsonObject(data) ? data['step'] : undefined;
}

/** A call with a result waits for nothing more, except for a person if it failed. */
function nextEscalation(call: CallView, block: Block): CallView | undefined {
  const escalation = nextApproval(call.escalation, block);
  return escalation && { ...call, escalation };
}

function nextApproval(approval: ApprovalView | undefined, block: Block): ApprovalView | undefined {
  switch (block.type) {
    case 'approval.request':
      return approval ? undefined : { request: block };
    case 'approval.decision':
      if (!approval || approval.decision || !isInTime(approval.request, block)) return undefined;
      return { ...approval, decision: block };
    case 'approval.close':
      return approval && { ...approval, closed: block };
    default:
      return undefined;
  }
}

function isInTime(asked: Block, answer: Block): boolean {
  return Date.parse(answer.at) <= deadlineOf(asked);
}

/** The time until which an answer counts, in milliseconds since 1970. */
export function deadlineOf(asked: Block): number {
  const type = waitTypes.find((each) => each === asked.type) ?? 'external.call';
  return Date.parse(dataOf(type, asked)?.deadline ?? asked.at);
}

const waitTypes = ['approval.request', 'external.call', 'agent.call'] as const;
