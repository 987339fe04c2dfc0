import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openPgliteTimelineStore } from '../../../adapters/sql/open.ts';
import type { Json } from '../../../base/json.ts';
import { isJsonObject } from '../../../base/json.ts';
import type { Block } from '../../../timeline/block.ts';
import { emptyView, foldAll } from '../../../timeline/fold/fold.ts';
import { type ConversationKey, toSeq } from '../../../timeline/ids.ts';
import type { TimelineStore } from '../../../timeline/ports/store.ts';
import { checkpoints } from '../../../timeline/render/checkpoints.ts';
import { timelineSegments } from '../../../timeline/render/render.ts';
import type { View } from '../../../timeline/view.ts';
import type { Screen } from '../../terminal/screen.ts';

const pageBlocks = 1_000;
const lookupCharsMax = 220;

type ReportOptions = {
  readonly dataDir: string;
  readonly screen: Screen;
  readonly signal: AbortSignal;
};

/** Prints what the conversation has stored, read from the log after the server has ended. */
export async function reportTimeline({ dataDir, screen, signal }: ReportOptions): Promise<void> {
  await using store = await openPgliteTimelineStore({ dir: join(dataDir, 'timeline') });
  const sender = { tenant: 'dev', project: 'dev', user: 'demo' };
  const [row] = await store.list(sender, { limit: 1, signal });
  const blocks = row ? await readAll(store, row.key, signal) : [];
  const view = foldAll(emptyView, blocks);
  screen.heading('Stored data');
  const rounds = view.turns.reduce((sum, turn) => sum + turn.rounds.length, 0);
  const bytes = blocks.reduce((sum, block) => sum + Buffer.byteLength(JSON.stringify(block)), 0);
  const kept = await bytesBelow(join(dataDir, 'blobs'));
  screen.line(
    'timeline',
    `${blocks.length} blocks, ${kilo(bytes)} in the log and ${kilo(kept)} in files; ${view.turns.length} turns, ${rounds} rounds`,
  );
  screen.line('cache', cacheSummary(view, blocks));
  for (const program of programRuns(blocks)) screen.line('program', program);
  for (const text of memoryLookups(view)) screen.line('recalled', text);
}

async function readAll(
  store: TimelineStore,
  key: ConversationKey,
  signal: AbortSignal,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for (;;) {
    const page = await store.read(key, {
      after: toSeq(blocks.at(-1)?.seq ?? 0),
      limit: pageBlocks,
      signal,
    });
    blocks.push(...page);
    if (page.length < pageBlocks) return blocks;
  }
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const stats = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name))));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

/** Cache marks of the last prompt, and the share of input tokens that a cache could provide. */
function cacheSummary(view: View, blocks: readonly Block[]): string {
  const marks = checkpoints(timelineSegments(view, view.head)).size;
  const usages = blocks
    .filter(({ type }) => type === 'model.call')
    .map(({ data }) => field(data, 'usage'));
  const sum = (name: string) =>
    usages.reduce<number>((total, usage) => total + count(field(usage, name)), 0);
  const read = sum('cache_read_tokens');
  const all = read + sum('input_tokens') + sum('cache_write_tokens');
  const share = all === 0 ? 0 : Math.round((100 * read) / all);
  return `1 checkpoint after the system text and ${marks} between rounds; a cache could provide ${share} % of ${all.toLocaleString('en')} input tokens in ${usages.length} calls`;
}

/** One line for each program: backend, duration and tool calls, from its result. */
function programRuns(blocks: readonly Block[]): readonly string[] {
  return blocks
    .filter(({ type }) => type === 'react.tool.result')
    .map(({ data }) => field(data, 'ret'))
    .filter((ret) => typeof field(ret, 'backend') === 'string')
    .map((ret) => {
      const ms = Math.round(count(field(field(ret, 'phases_ms'), 'run')));
      const calls = count(field(ret, 'calls_total'));
      return `ran in the ${field(ret, 'backend')} sandbox for ${ms} ms, with ${calls} tool calls through the supervisor`;
    });
}

/** What the last turn looked up in earlier turns. */
function memoryLookups(view: View): readonly string[] {
  const calls = view.turns.at(-1)?.rounds.flatMap((round) => round.calls) ?? [];
  return calls
    .filter(({ tool }) => tool === 'react.memsearch' || tool === 'react.read')
    .map(({ tool, result }) => `${tool} found “${longestLine(result?.text ?? '')}”`);
}

/** The longest line is the found text rather than its location. */
function longestLine(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\s*\d*\s+/, ''));
  const longest = lines.reduce((best, line) => (line.length > best.length ? line : best), '');
  return longest.length > lookupCharsMax ? `${longest.slice(0, lookupCharsMax)}…` : longest;
}

function field(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function kilo(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
}
