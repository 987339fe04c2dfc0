import type { Item, Transcript, TurnTranscript } from './transcript-types.ts';

const activities: Readonly<Record<string, string>> = {
  thinking: 'thinking',
  code: 'writing a program',
  canvas: 'drawing',
  answer: 'answering',
};

/** The current activity of a running turn, from its last item. */
export function activityOf(item: Item | undefined): string {
  if (item?.kind === 'approval' && item.outcome === '') return 'waiting for you';
  if (item?.kind === 'tool' && item.state === 'waiting') return 'waiting';
  if (item?.kind === 'tool' && item.state === 'running') {
    return item.tool.startsWith('exec_tools.') ? 'running the program' : item.tool;
  }
  return activities[item?.kind ?? ''] ?? 'working';
}

/** One line for screen readers: the activity, an open request, or the result. */
export function statusText({ turns }: Transcript): string {
  const turn = turns.at(-1);
  if (!turn) return '';
  if (turn.end) return endOf(turn, turn.end.reason);
  const last = turn.items.at(-1);
  if (last?.kind === 'approval' && last.outcome === '') return `Approval required: ${last.title}`;
  if (last?.kind === 'secret') return `Secret required: ${last.description || last.id}`;
  return `Timeloom is ${activityOf(last)}.`;
}

function endOf({ items, end }: TurnTranscript, reason: string): string {
  if (reason === 'failed') return `The turn failed: ${end?.message ?? ''}`;
  if (reason !== 'completed') return 'The turn ended without an answer.';
  const answers = items.map((item) => (item.kind === 'answer' ? item.text : ''));
  const files = items.reduce(
    (sum, item) => sum + (item.kind === 'files' ? item.items.length : 0),
    0,
  );
  const parts = [count(answers.join(' ').match(/\S+/g)?.length ?? 0, 'word'), count(files, 'file')];
  return `Answer complete: ${parts.filter((part) => !part.startsWith('0 ')).join(', ')}.`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
