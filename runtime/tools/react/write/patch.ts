import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import { paramCharsMax } from '../../../timeline/limits.ts';
import { paths } from '../../../timeline/paths.ts';
import { createTool } from '../../definition/create-tool.ts';
import { mimeOf } from '../../files/mime.ts';
import type { CallContext, ToolOutcome } from '../../ports/tool.ts';
import { cutText } from '../../text/cut-text.ts';
import { applyDiff, type ChangedRange, isUnifiedDiff, type PatchResult } from './apply-diff.ts';
import { diffShownChars, patchCharsMax, suggestedLinesMax, suggestedLinesMin } from './limits.ts';
import { toUnifiedDiff } from './make-diff.ts';
import { patchTarget, targetText } from './patch-target.ts';
import { channelSchema, kindSchema } from './write.ts';
import { type TextWrite, writeText } from './write-text.ts';

export const patchTool = createTool({
  id: 'react.patch',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Changes a text file of this turn. patch is a unified diff of that file (counts in @@ need not be right; context lines must match, without display line numbers) or the whole new content. ' +
    'For a file of an earlier turn call react.checkout first.',
  input: z.object({
    path: z.string().describe('outputs/<name> or files/<name>, or its fi: path'),
    channel: channelSchema.describe('as in react.write'),
    patch: z.string().max(patchCharsMax),
    kind: kindSchema.describe('as in react.write'),
  }),
  run: async ({ path, channel, patch, kind }, context) => {
    if (patch.trim() === '') {
      throw new Refusal('missing_patch', 'patch is empty: give a diff or the new text.');
    }
    const at = patchTarget(path, context);
    const old = await targetText(at.filepath, context);
    const patched = isUnifiedDiff(patch) ? applyDiff(old.text, patch) : whole(patch);
    if (!patched.ok)
      return refused(patched, { patch, path: paths.file(context.turn, at.filepath) });
    checkAfter(at.filepath, old.text, patched.text);
    const content = `${old.bom ? '\uFEFF' : ''}${patched.text}`;
    return change({ at, channel, kind, content }, { old: old.text, patched, patch }, context);
  },
});

type AppliedPatch = Extract<PatchResult, { ok: true }>;

function whole(text: string): AppliedPatch {
  return { ok: true, text, hunks: 0, ranges: [] };
}

/** Refusal `post_patch_check_failed`: a valid JSON file must stay valid. */
function checkAfter(filepath: string, before: string, after: string): void {
  if (mimeOf(filepath) !== 'application/json' || jsonFault(before) !== undefined) return;
  const fault = jsonFault(after);
  if (fault === undefined) return;
  const message = `Nothing was changed: after the patch ${filepath} would not be valid JSON (${fault}).`;
  throw new Refusal('post_patch_check_failed', message);
}

function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return cutText(String(error), 200);
  }
}

type Change = { readonly old: string; readonly patched: AppliedPatch; readonly patch: string };

async function change(
  written: TextWrite,
  { old, patched, patch }: Change,
  context: CallContext,
): Promise<ToolOutcome> {
  const outcome = await writeText(written, context);
  const { hunks, ranges, text } = patched;
  const diff = toUnifiedDiff(old, text, 1);
  const shown = diff.length > diffShownChars ? `${cutText(diff, diffShownChars)}\n…` : diff;
  const seen = hunks > 0 && diff !== '' && patch.length <= paramCharsMax;
  const how = seen ? appliedText(hunks, ranges) : hunksText(hunks);
  const what = diff === '' ? ' · nothing changed' : seen ? '' : `\n${shown}`;
  const { result } = outcome;
  const ret = result.ok && typeof result.ret === 'object' ? { ...result.ret } : {};
  return {
    ...outcome,
    result: { ok: true, ret: { ...ret, edited: diff !== '', hunks, diff: shown } },
    preview: `${outcome.preview ?? ''} · ${how}${what}`,
  };
}

function hunksText(hunks: number): string {
  if (hunks === 0) return 'replaced whole';
  return hunks === 1 ? '1 hunk applied' : `${hunks} hunks applied`;
}

/** A diff that the call shows whole is not repeated; only the lines of the changed file are reported. */
function appliedText(hunks: number, ranges: readonly ChangedRange[]): string {
  const made = ranges.filter(({ count }) => count > 0);
  const removed = ranges.filter(({ count }) => count === 0);
  return [
    hunksText(hunks),
    ...(made.length > 0 ? [`new text in ${linesText(made.map(rangeText))}`] : []),
    ...removed.map(({ after }) =>
      after === 0 ? 'text removed at the beginning' : `text removed after line ${after}`,
    ),
  ].join(' · ');
}

function linesText(lines: readonly string[]): string {
  const isOne = lines.length === 1 && !lines[0]?.includes('-');
  return `${isOne ? 'line' : 'lines'} ${lines.join(', ')}`;
}

function rangeText({ after, count }: ChangedRange): string {
  return count === 1 ? `${after + 1}` : `${after + 1}-${after + count}`;
}

type FailedPatch = Extract<PatchResult, { ok: false }>;

/** A diff made from numbered lines can never match, so this mistake has its own error code. */
function refused(
  patched: FailedPatch,
  { patch, path }: { patch: string; path: string },
): ToolOutcome {
  const numbered = /^[ +-] {0,5}\d{1,6}\t/m.test(patch);
  const code = numbered ? 'patch_contains_preview_line_numbers' : patched.code;
  const message = numbered
    ? 'The patch contains the display line numbers of react.read. Leave them out.'
    : patched.message;
  const { line, lines = 0 } = patched;
  const line_count = Math.min(suggestedLinesMax, Math.max(suggestedLinesMin, lines + 12));
  const ret =
    line === undefined
      ? {}
      : { suggested_read: { path, line_start: Math.max(1, line - 6), line_count } };
  return { result: { ok: false, error: { code, message, retryable: false }, ret } };
}
