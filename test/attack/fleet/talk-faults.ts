import { readFileSync } from 'node:fs';
import type { ChatEvent } from 'timeloom/client';
import { z } from 'zod';
import { toEvent } from '../../../runtime/client/events/to-event.ts';
import { afterBlock, beginning } from '../../../runtime/gateway/feed/cursor.ts';
import { readHistory } from '../../../runtime/gateway/feed/history.ts';
import type { Block } from '../../../runtime/timeline/block.ts';
import { namedBlobs } from '../../../runtime/timeline/catalogue/named-blobs.ts';
import { type CallId, toSeq } from '../../../runtime/timeline/ids.ts';
import type { ConversationRow } from '../../../runtime/timeline/ports/store.ts';
import { faultsOf } from '../../runtime/engine/simulation/checks.ts';
import type { Run } from '../../runtime/engine/simulation/random-tools.ts';
import type { Fleet } from './fleet.ts';
import type { Talk } from './talk.ts';

const scope = { tenant: 'dev', project: 'dev' };
const blocksMax = 100_000;
const { signal } = new AbortController();

const Line = z.object({ word: z.enum(['begin', 'end']), call: z.string(), key: z.string() });

/** What went wrong in a conversation with no work left, read from its log beside what its client received. */
export async function faultsOfTalk(
  talk: Talk,
  { fleet, runs }: { fleet: Fleet; runs: readonly Run[] },
): Promise<readonly string[]> {
  const row = await fleet.store.find({ ...scope, user: talk.user }, talk.id, { signal });
  if (!row) return [`${talk.id} does not exist`];
  const blocks = await fleet.store.read(row.key, { after: toSeq(0), limit: blocksMax, signal });
  const sent = talk.messages.map(({ id: message, turn }) => ({
    message,
    accepted: { status: turn?.status ?? ('refused' as const), seq: toSeq(turn?.seq ?? 0) },
  }));
  const faults = [
    ...talk.faults,
    ...rowFaults(row, blocks),
    ...faultsOf(blocks, { sent, runs, prompts: [] }),
    ...(await blobFaults(row, { blocks, fleet })),
    ...endFaults(talk.events, blocks),
    ...(await deliveryFaults(talk, { row, fleet })),
  ];
  const log = faults.length > 0 ? [`its log: ${timesOf(blocks)}`] : [];
  return [...faults, ...log].map((fault) => `${talk.id}: ${fault}`);
}

/** Each block with its second since the first one. */
function timesOf(blocks: readonly Block[]): string {
  const seconds = ({ at }: Block) => (Date.parse(at) - Date.parse(blocks[0]?.at ?? at)) / 1_000;
  return blocks.map((block) => `${seconds(block).toFixed(1)} ${block.type}`).join(', ');
}

/** What the tools of every conversation did. A line that a kill cut short is followed by another on the same line. */
export function readRuns({ ledger }: Fleet): readonly Run[] {
  const lines = readFileSync(ledger, 'utf8').match(/\{[^{}]*\}/g) ?? [];
  const runs: Run[] = [];
  for (const { word, call, key } of lines.map((text) => Line.parse(JSON.parse(text)))) {
    const open = runs.findLast((run) => run.key === key && !run.finished);
    if (word === 'end' && open) open.finished = true;
    else if (word === 'begin') runs.push(toRun(call as CallId, key));
  }
  return runs;
}

/** Which process ran it is not visible from outside. */
function toRun(call: CallId, key: string): Run {
  const seen = { worker: 'any', owner: 'any', intended: true, allowed: true };
  return { tool: 'bank', call, key, ...seen, finished: false };
}

function rowFaults(row: ConversationRow, blocks: readonly Block[]): readonly string[] {
  const last = blocks.at(-1)?.seq ?? 0;
  return [
    ...(row.openTurn === undefined ? [] : [`${row.openTurn} is open`]),
    ...(row.reactive <= row.answered ? [] : [`the event at ${row.reactive} waits`]),
    ...(last === row.head ? [] : [`the log ends at ${last}, its row at ${row.head}`]),
  ];
}

async function blobFaults(
  { tenant }: ConversationRow,
  { blocks, fleet }: { blocks: readonly Block[]; fleet: Fleet },
): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const hash of new Set(namedBlobs(blocks).map((each) => each.hash))) {
    await fleet.blobs.get(tenant, hash, { signal }).catch((error: unknown) => {
      faults.push(`${hash}: ${String(error)}`);
    });
  }
  return faults;
}

/** A client sees one end of every turn, and none twice. */
function endFaults(events: readonly ChatEvent[], blocks: readonly Block[]): readonly string[] {
  const isEnd = ({ type }: ChatEvent) => type === 'chat.complete' || type === 'chat.error';
  const turns = new Set(blocks.filter(({ type }) => type === 'turn.open').map(({ turn }) => turn));
  return [...turns].flatMap((turn) => {
    const ends = events.filter((event) => isEnd(event) && event.turnId === turn).length;
    return ends === 1 ? [] : [`its client saw ${ends} ends of ${turn}`];
  });
}

/** A client that was cut off, and moved between gateways, received each event of the log once, in order. */
async function deliveryFaults(
  { events }: Talk,
  { row, fleet }: { row: ConversationRow; fleet: Fleet },
): Promise<readonly string[]> {
  const to = afterBlock(row.head, 1);
  const history = await readHistory(row, { from: beginning, to }, { store: fleet.store, signal });
  const wanted = history.map(toEvent).filter(isOfBlock).map(nameOf);
  const received = events.filter(isOfBlock).map(nameOf);
  const at = wanted.findIndex((name, index) => name !== received[index]);
  const seqs = events.filter(({ type }) => type !== 'chat.service').map(({ seq }) => seq);
  const back = seqs.findIndex((seq, index) => seq < (seqs[index - 1] ?? 0));
  return [
    ...(at < 0 && wanted.length === received.length
      ? []
      : [
          `event ${at} is ${received[at]} instead of ${wanted[at]}, of ${wanted.length} and ${received.length}`,
        ]),
    ...(back < 0 ? [] : [`seq ${seqs[back]} follows ${seqs[back - 1]}`]),
  ];
}

/** Others depend on frames, which the bus may lose. */
function isOfBlock({ type, event }: ChatEvent): boolean {
  const isFrame = event.step === 'stream.reset' || event.step === 'chat.tool.progress';
  return type !== 'chat.delta' && type !== 'chat.service' && !isFrame;
}

function nameOf(event: ChatEvent): string {
  const { cursor: _, ...rest } = event;
  return JSON.stringify(rest);
}
