import type { ApprovalPart, StoryPart } from '../api/story.ts';
import type { ChatEvent } from '../api/types.ts';
import { text } from './json-fields.ts';

/** A question to the user, where its call or its turn stands. */
export function addApproval(
  parts: readonly StoryPart[],
  { data }: ChatEvent & { type: 'chat.approval' },
): readonly StoryPart[] {
  const { request, title, detail = '', kind: asks = 'call', remember, deadline } = data;
  const key = `approval.${request}`;
  if (parts.some((part) => part.key === key)) return parts;
  const tool = 'tool' in data ? data.tool : undefined;
  const call =
    tool === undefined ? undefined : { tool, input: 'input' in data ? data.input : undefined };
  const question: ApprovalPart = {
    ...{ kind: 'approval', request, title, detail, asks, call, remember, deadline },
    outcome: '',
  };
  return [...parts, { key, ...question }];
}

export function settleApproval(
  parts: readonly StoryPart[],
  data: Readonly<Record<string, unknown>>,
): readonly StoryPart[] {
  const outcome = text(data['outcome']);
  return parts.map((part) =>
    part.kind === 'approval' && part.request === data['request'] ? { ...part, outcome } : part,
  );
}

/** Without what its user has withdrawn. */
export function removeRecalled(
  parts: readonly StoryPart[],
  data: Readonly<Record<string, unknown>>,
): readonly StoryPart[] {
  return parts.filter((part) => part.kind !== 'message' || part.message !== data['event_id']);
}
