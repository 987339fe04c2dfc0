import type {
  ApprovalPart,
  ConversationState,
  StoryPart,
  TurnState,
} from '../../../../client/index.ts';

const activities: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  program: 'writing a program',
  canvas: 'drawing',
  answer: 'answering',
};

/** The current activity of a running turn: an open request, or else what its last part does. */
export function activityOf(parts: readonly StoryPart[]): string {
  const part = parts.at(-1);
  if (parts.some(isOpenApproval)) return 'waiting for you';
  if (part?.kind === 'tool' && part.state === 'waiting') return 'waiting';
  if (part?.kind === 'tool' && part.state === 'running') {
    return part.tool.startsWith('exec_tools.') ? 'running the program' : `using ${part.tool}`;
  }
  return activities[part?.kind ?? ''] ?? 'working';
}

export function isWorking({ turns }: ConversationState): boolean {
  const last = turns.at(-1);
  return last !== undefined && last.end === undefined && !last.failed;
}

/** The requests that the running turn waits for. */
export function pendingApprovals({ turns }: ConversationState): readonly ApprovalPart[] {
  const parts = turns.at(-1)?.parts ?? [];
  return parts.filter(isOpenApproval);
}

function isOpenApproval(part: StoryPart): part is StoryPart & ApprovalPart {
  return part.kind === 'approval' && part.outcome === '';
}

/** One line for screen readers: the activity, an open request, or the result. */
export function statusText({ turns }: ConversationState): string {
  const turn = turns.at(-1);
  if (!turn || turn.failed) return '';
  if (turn.end) return endOf(turn, turn.end.reason);
  const last = turn.parts.at(-1);
  const approval = turn.parts.findLast(isOpenApproval);
  if (approval) return `Approval required: ${approval.title}`;
  if (last?.kind === 'secret') return `Secret required: ${last.description || last.id}`;
  return `Timeloom is ${activityOf(turn.parts)}.`;
}

function endOf({ parts, end, files }: TurnState, reason: string): string {
  if (reason === 'failed') return `The turn failed: ${end?.message ?? ''}`;
  if (reason !== 'completed') return 'The turn ended without an answer.';
  const answers = parts.map((part) => (part.kind === 'answer' ? part.text : ''));
  const words = answers.join(' ').match(/\S+/g)?.length ?? 0;
  const counts = [count(words, 'word'), count(files.length, 'file')];
  return `Answer complete: ${counts.filter((part) => !part.startsWith('0 ')).join(', ')}.`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
