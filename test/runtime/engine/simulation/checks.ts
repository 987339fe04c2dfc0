import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { emptyView, foldArchive } from '../../../../runtime/timeline/fold/fold.ts';
import { isStop } from '../../../../runtime/timeline/fold/recall.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import type { TurnView, View } from '../../../../runtime/timeline/view.ts';
import type { Sent } from './clients.ts';
import { isProgram, programFaults } from './programs.ts';
import type { Run } from './random-tools.ts';

type SimulationRecord = {
  readonly sent: readonly Sent[];
  readonly runs: readonly Run[];
  readonly prompts: readonly string[];
};

/** All faults of a conversation with no work left; empty if there are none. */
export function faultsOf(
  blocks: readonly Block[],
  { sent, runs, prompts }: SimulationRecord,
): readonly string[] {
  const view = foldArchive(emptyView, blocks);
  return [
    ...verify(blocks).map(({ code, seq, text }) => `${code} at ${seq}: ${text}`),
    ...repeatedPaths(blocks),
    ...eventFaults(blocks, sent),
    ...blocks.filter(isRecall).flatMap((recall) => recallFaults(recall, blocks, prompts)),
    ...compactionFaults(blocks),
    ...programFaults(blocks, runs),
    ...view.turns.flatMap((turn) => turnFaults(turn, view)),
    ...blocks
      .filter((block) => block.type === 'react.tool.call' && !isProgram(block) && !isControl(block))
      .flatMap((asked) => callFaults(asked, blocks, runs)),
  ];
}

/** Only changes the log: nothing outside shows that it ran. */
function isControl(block: Block): boolean {
  return String(dataOf(block)['tool']).startsWith('react.');
}

function repeatedPaths(blocks: readonly Block[]): readonly string[] {
  const seen = new Set<string>();
  return blocks.flatMap(({ path, seq, type }) => {
    // A recall names what it takes back; the second of two answers has no effect; a file may be written again.
    const repeats = ['external.recall', 'approval.decision', 'external.result', 'artifact.file'];
    if (path === undefined || repeats.includes(type)) return [];
    const again = seen.has(path);
    seen.add(path);
    return again ? [`the path ${path} is written again at ${seq}`] : [];
  });
}

/** I3: an accepted event is on the log once, a refused one is not. */
function eventFaults(blocks: readonly Block[], sent: readonly Sent[]): readonly string[] {
  return sent.flatMap(({ message, accepted }) => {
    const found = blocks.filter(({ event }) => event === message);
    const wanted = accepted.status === 'refused' ? 0 : 1;
    const sameSeq = wanted === 0 || found[0]?.seq === accepted.seq;
    return found.length === wanted && sameSeq
      ? []
      : [`${message} (${accepted.status}) is there ${found.length} times`];
  });
}

/** Every compaction ended before its turn did, in whichever session. */
function compactionFaults(blocks: readonly Block[]): readonly string[] {
  const steps = blocks.filter(({ type }) =>
    ['compact.open', 'compact.close', 'turn.close'].includes(type),
  );
  return steps.flatMap(({ type, seq }, index) => {
    const before = steps[index - 1]?.type;
    const wrong = (type === 'compact.close') !== (before === 'compact.open');
    return wrong ? [`${type} at ${seq} comes after ${before}`] : [];
  });
}

function turnFaults(turn: TurnView, view: View): readonly string[] {
  const closes = turn.blocks.filter(({ type }) => type === 'turn.close');
  const unanswered = turn.events.filter((event) => !isAnswered(event, turn, view));
  return [
    ...(closes.length === 1 ? [] : [`${turn.id} has ${closes.length} ends`]),
    ...(hasReason(turn, view) ? [] : [`${turn.id} was opened again for nothing`]),
    ...unanswered.map(({ seq, type }) => `${type} at ${seq} of ${turn.id} was never seen`),
  ];
}

/**
 * A round saw the event, in this or a later turn; or it, or a later event of the user, stopped its turn; or the turn
 * failed before any round and recorded that.
 */
function isAnswered({ seq }: Block, turn: TurnView, view: View): boolean {
  const later = view.turns.slice(view.turns.indexOf(turn));
  if (later.some(({ rounds }) => rounds.some(({ asOf }) => asOf >= seq))) return true;
  const stopped = later.some(
    ({ closed, events }) =>
      closed?.reason === 'interrupted' && events.some((each) => each.seq >= seq && isStop(each)),
  );
  return stopped || (turn.closed?.reason === 'failed' && turn.rounds.length === 0);
}

/** An event that no round had read before its recall is never read. */
function recallFaults(
  { seq, path, data }: Block,
  blocks: readonly Block[],
  prompts: readonly string[],
): readonly string[] {
  const event = blocks.find((block) => block.path === path);
  const asOf = (block: Block) => Number(dataOf(block)['as_of']);
  const consumed = blocks.some(
    (block) =>
      ['round.open', 'tools.selection'].includes(block.type) &&
      block.seq < seq &&
      asOf(block) >= (event?.seq ?? 0),
  );
  const { event_id } = dataOf({ data } as Block);
  const read = prompts.some((prompt) => prompt.includes(`about ${String(event_id)}`));
  return consumed || !read ? [] : [`${String(event_id)} was taken back at ${seq} and read`];
}

function isRecall({ type }: Block): boolean {
  return type === 'external.recall';
}

/** A turn that no user event opened answers one that came too late for the turns before; a stop needs no answer. */
function hasReason({ id, openSeq, data }: TurnView, view: View): boolean {
  if (!isJsonObject(data) || data['reopened'] !== true) return true;
  const before = view.turns.slice(
    0,
    view.turns.findIndex((turn) => turn.id === id),
  );
  const seen = Math.max(0, ...before.flatMap(({ rounds }) => rounds.map(({ asOf }) => asOf)));
  return before
    .flatMap(({ events, blocks }) => [...events, ...blocks.filter(isRecall)])
    .some((event) => event.seq > seen && event.seq < openSeq && !isStop(event));
}

function callFaults(
  asked: Block,
  blocks: readonly Block[],
  all: readonly Run[],
): readonly string[] {
  const runs = all.filter(({ call }) => call === asked.call);
  const result = dataOf(
    blocks.find(({ type, call }) => type === 'react.tool.result' && call === asked.call),
  );
  const { effects, key, tool } = dataOf(asked);
  const error = JSON.stringify(result['error'] ?? {});
  const lost = runs.length > 0 && runs.every(({ finished }) => !finished);
  const broke = error.includes('the tool broke');
  const name = `${String(tool)} ${asked.call}`;
  if (tool === 'sim.client') return clientFaults(asked, blocks, result);
  return [
    ...approvalFaults(asked, blocks, runs),
    ...(effects === 'unkeyed' && runs.length > 1 ? [`${name} ran ${runs.length} times`] : []),
    ...(runs.some((run) => run.key !== key) ? [`${name} saw another key`] : []),
    ...(runs.some(({ intended }) => !intended)
      ? [`${name} ran before its intent was in the log`]
      : []),
    ...(runs.some(({ owner, worker }) => owner !== worker)
      ? [`${name} was started by who did not own it`]
      : []),
    ...(effects === 'unkeyed' && lost && !broke && !/doubt|may have taken effect/.test(error)
      ? [`${name} was interrupted and does not say that it is in doubt: ${error}`]
      : []),
    ...(result['ok'] === true && !runs.some(({ finished }) => finished)
      ? [`${name} did not run and says it did`]
      : []),
  ];
}

/** Asked at most once, never started without approval, and in doubt only if it was started. */
function approvalFaults(
  { call, data }: Block,
  blocks: readonly Block[],
  runs: readonly Run[],
): readonly string[] {
  if (dataOf({ data } as Block)['tool'] !== 'sim.asked') return [];
  const own = blocks.filter((block) => block.call === call);
  const isAsked = (block: Block, type: string) =>
    block.type === type && dataOf(block)['kind'] === undefined;
  const requests = own.filter((block) => isAsked(block, 'approval.request')).length;
  const closed = dataOf(own.find((block) => isAsked(block, 'approval.close')))['outcome'];
  const result = JSON.stringify(own.find(({ type }) => type === 'react.tool.result')?.data ?? {});
  const begun = requests === 0 || closed === 'allowed';
  return [
    ...(requests > 1 ? [`${call} was asked about ${requests} times`] : []),
    ...(runs.some(({ allowed }) => !allowed) ? [`${call} began before it was allowed`] : []),
    ...(runs.length > 0 && !begun ? [`${call} began although it was not allowed`] : []),
    ...(!begun && /doubt|may have/.test(result) ? [`${call} had not begun and is in doubt`] : []),
  ];
}

function clientFaults({ call }: Block, blocks: readonly Block[], result: JsonObject) {
  const answers = blocks.filter(
    ({ type, data }) => type === 'external.result' && dataOf({ data } as Block)['call'] === call,
  );
  const first = dataOf(answers[0]);
  if (result['ok'] !== true) return [];
  return first['ok'] === true ? [] : [`${call} has a result that no client gave`];
}

function dataOf(block: Block | undefined): JsonObject {
  return isJsonObject(block?.data) ? block.data : {};
}
