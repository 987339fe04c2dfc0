import type { Json } from '../../base/json.ts';

type ApprovalRequest = {
  readonly request: string;
  readonly title: string;
  readonly detail?: string;
  /** How long an approval stays valid if the decision does not say. */
  readonly remember: 'once' | 'turn' | 'conversation';
  /** ISO time. After it the request counts as denied. */
  readonly deadline: string;
};
type CallApproval = ApprovalRequest & {
  /** `tool_failure`: a call has failed, and the decision is whether the turn goes on. Absent: whether a call may run. */
  readonly kind?: 'tool_failure';
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
};
/** A spending limit is used up, and the decision is whether it is extended: otherwise the turn ends. */
type SpendingApproval = ApprovalRequest & {
  readonly kind: 'spending';
  /** The limit, its day or month, and what an extension adds to it. */
  readonly extension: {
    readonly of: 'user' | 'tenant';
    readonly per: 'day' | 'month';
    readonly period: string;
    readonly usd?: number;
    readonly tokens?: number;
  };
};

/** An agent that works for this conversation asks; a decision here is one in its conversation. */
type AgentApproval = ApprovalRequest & {
  readonly kind: 'agent';
  readonly agent: string;
  readonly conversation: string;
  readonly tool?: string;
  readonly input?: Json;
};

/** A question to a person, answered with `decide`. */
export type ApprovalData = CallApproval | SpendingApproval | AgentApproval;
