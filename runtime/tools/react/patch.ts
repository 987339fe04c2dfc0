import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { paths } from '../../timeline/paths.ts';
import { createTool } from '../create-tool.ts';
import { toTurnFile } from '../file-path.ts';
import type { CallContext, ToolOutcome } from '../tool.ts';
import { patchCharsMax } from './limits.ts';
import { wholeText } from './read-text.ts';
import { applyDiff, isUnifiedDiff, type Patched } from './unified-diff.ts';
import { channelSchema, keepText, kindSchema } from './write.ts';

export const patchTool = createTool({
  id: 'react.patch',
  kind: 'control',
  traits: ['neutral'],
  effects: 'keyed',
  concurrency: 'alone',
  description:
    'Changes a text file of this turn (outputs/… or files/…). patch is a unified diff of that one file (line counts in @@ need not be right; context lines must match the text, without display line numbers) or, if it does not begin like a diff, the whole new content. ' +
    'For a file of an earlier turn call react.checkout first. Order of parameters: path, channel, patch, kind.',
  input: z.object({
    path: z.string().min(1).describe('outputs/<name> or files/<name> of this turn'),
    channel: channelSchema,
    patch: z.string().min(1).max(patchCharsMax),
    kind: kindSchema,
  }),
  run: async ({ path, channel, patch, kind }, context) => {
    const filepath = toTurnFile(path, { turn: context.turn, bare: 'outputs' });
    const old = await currentText(filepath, context);
    if (!isUnifiedDiff(patch)) {
      const outcome = await keepText({ filepath, channel, content: patch, kind }, context);
      return withNote(outcome, 'replaced whole');
    }
    const patched = applyDiff(old, patch);
    if (!patched.ok) return refused(patched, { patch, path: paths.file(context.turn, filepath) });
    const outcome = await keepText({ filepath, channel, content: patched.text, kind }, context);
    return withNote(outcome, `${patched.hunks} hunk${patched.hunks === 1 ? '' : 's'} applied`);
  },
});

async function currentText(filepath: string, { turn, services }: CallContext): Promise<string> {
  const resolved = await services.read(paths.file(turn, filepath));
  if (resolved === undefined) {
    const how = 'react.write makes a new one; react.checkout brings files/… of an earlier turn';
    throw new Refusal('patch_target_missing', `This turn has no ${filepath}. ${how}.`);
  }
  const whole = await wholeText(resolved, services);
  if (whole.kind === 'text') return whole.text;
  throw new Refusal(
    'patch_not_text',
    `${filepath} is ${whole.kind === 'binary' ? 'no text' : 'too large to patch'}.`,
  );
}

function withNote(outcome: ToolOutcome, note: string): ToolOutcome {
  return { ...outcome, preview: `${outcome.preview ?? ''} · ${note}` };
}

/** A diff made from numbered lines can never match: that mistake has a name of its own. */
function refused(
  patched: Extract<Patched, { ok: false }>,
  { patch, path }: { patch: string; path: string },
): ToolOutcome {
  const numbered = /^[ +-] {0,5}\d{1,6}\t/m.test(patch);
  const code = numbered ? 'patch_contains_line_numbers' : patched.code;
  const message = numbered
    ? 'The patch contains the display line numbers of react.read. Leave them out.'
    : patched.message;
  const ret =
    patched.line === undefined
      ? {}
      : { suggested_read: { path, line_start: Math.max(1, patched.line - 6), line_count: 24 } };
  return { result: { ok: false, error: { code, message, retryable: true }, ret } };
}
