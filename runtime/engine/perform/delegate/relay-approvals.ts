import { createHash } from 'node:crypto';
import type { Block, Draft } from '../../../timeline/block.ts';
import { type DataOf, dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { type ApprovalOutcome, closeTurnApproval } from '../../../timeline/close/close-turn.ts';
import { approvalMs } from '../../../timeline/close/waits.ts';
import { paths } from '../../../timeline/paths.ts';
import type { ApprovalView, TurnView } from '../../../timeline/view.ts';
import type { WorkerSession } from '../../session/session.ts';
import { type ChildConversation, decideInChild } from './child-conversation.ts';

type Request = DataOf<'approval.request'>;
/** A question of a child that this turn asks its user. */
type Relay = { readonly approval: ApprovalView; readonly origin: string };

type ChildState = {
  readonly child: ChildConversation;
  readonly agent: string;
  /** The child's turn so far. */
  readonly blocks: readonly Block[];
};

/**
 * What a child asks a person is asked in the conversation of its caller, because people follow that one. The decision goes
 * back to the child before it is closed here, under a message id of its own: a lost owner neither loses nor doubles it.
 */
export async function relayApprovals(
  session: WorkerSession,
  { child, agent, blocks }: ChildState,
): Promise<readonly Draft[]> {
  const open = openRequests(blocks);
  const relays = relaysOf(session.turn, child.id);
  const drafts: Draft[] = [];
  for (const { approval, origin } of relays) {
    if (approval.closed) continue;
    const decision = approval.decision && dataOf('approval.decision', approval.decision);
    if (!open.has(origin)) drafts.push(...closeTurnApproval(approval, outcomeIn(blocks, origin)));
    else if (decision) {
      const { request: _, ...said } = decision;
      await decideInChild(session, child, { ...said, request: origin });
      const outcome = decision.allow ? 'allowed' : 'denied';
      drafts.push(...closeTurnApproval(approval, { outcome }));
    }
  }
  const known = new Set(relays.map(({ origin }) => origin));
  const fresh = [...open.values()].filter(({ request }) => !known.has(request));
  return [...drafts, ...fresh.map((request) => toRelay(session, request, { child, agent }))];
}

/** The questions of a child that ended, or that is given up. */
export function closeRelays(
  { turn }: WorkerSession,
  conversation: string | undefined,
  blocks: readonly Block[] = [],
): readonly Draft[] {
  return relaysOf(turn, conversation).flatMap(({ approval, origin }) =>
    closeTurnApproval(approval, outcomeIn(blocks, origin)),
  );
}

/** How long the child has waited for people. */
export function relayedMs({ turn, engine }: WorkerSession, conversation: string): number {
  const approvals = relaysOf(turn, conversation).map(({ approval }) => approval);
  return approvalMs(approvals, engine.clock.now());
}

/** Undefined: of all children. */
function relaysOf({ approvals }: TurnView, conversation: string | undefined): readonly Relay[] {
  return approvals.flatMap((approval) => {
    const asked = dataOf('approval.request', approval.request);
    const isOther = conversation !== undefined && asked?.conversation !== conversation;
    if (asked?.kind !== 'agent' || asked.origin === undefined || isOther) return [];
    return [{ approval, origin: asked.origin }];
  });
}

function openRequests(blocks: readonly Block[]): ReadonlyMap<string, Request> {
  const open = new Map<string, Request>();
  for (const block of blocks) {
    const asked = block.type === 'approval.request' ? dataOf('approval.request', block) : undefined;
    if (asked) open.set(asked.request, asked);
    if (block.type === 'approval.close')
      open.delete(dataOf('approval.close', block)?.request ?? '');
  }
  return open;
}

function outcomeIn(blocks: readonly Block[], origin: string): ApprovalOutcome {
  const closes = blocks.flatMap((block) =>
    block.type === 'approval.close' ? (dataOf('approval.close', block) ?? []) : [],
  );
  const { outcome = 'interrupted' } = closes.find(({ request }) => request === origin) ?? {};
  return { outcome };
}

function toRelay(
  { turn: { id: turn } }: WorkerSession,
  { request: origin, title, detail, tool, input, remember, deadline }: Request,
  { child, agent }: Pick<ChildState, 'child' | 'agent'>,
): Draft {
  const request = relayName(child, origin);
  return {
    type: 'approval.request',
    turn,
    author: 'system',
    path: paths.approval(turn, 'request', request),
    data: {
      request,
      kind: 'agent',
      ...{ agent, conversation: child.id, origin, title, remember, deadline },
      ...(tool === undefined ? {} : { tool }),
      ...(detail === undefined ? {} : { detail }),
      ...(input === undefined ? {} : { input }),
    },
  };
}

/** Short: some chats limit the value of a button to 64 bytes. */
function relayName({ id }: ChildConversation, origin: string): string {
  const whole = JSON.stringify(['asked', id, origin]);
  return `ask_${createHash('sha256').update(whole).digest('hex').slice(0, 20)}`;
}
