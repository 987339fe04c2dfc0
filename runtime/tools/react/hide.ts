import { z } from 'zod';
import type { CallId, TurnId } from '../../timeline/ids.ts';
import { checkHide, type HideVerdict } from '../../timeline/prune/hide.ts';
import { cacheBreak } from '../../timeline/render/cache-break.ts';
import { shortNames } from '../../timeline/short-names.ts';
import { createTool } from '../definition/create-tool.ts';
import type { ToolOutcome } from '../ports/tool.ts';
import { callNotice } from '../results/call-notice.ts';
import { grouped } from '../text/cut-text.ts';
import { hideReplacementCharsMax } from './limits.ts';

export const hideTool = createTool({
  id: 'react.hide',
  kind: 'control',
  traits: ['neutral'],
  concurrency: 'alone',
  description:
    'Replaces something in the last two or three rounds by a short text of yours, to save room; react.read shows it again.',
  input: z.object({
    path: z.string().min(1).describe('as it stands in the timeline'),
    replacement: z.string().max(hideReplacementCharsMax).default('').describe('shown instead'),
  }),
  run: async ({ path: asked, replacement }, { view, turn, call }) => {
    const verdict = checkHide(view, asked);
    const { path } = verdict;
    const shown = shortNames(view).path(path);
    if (verdict.status !== 'ok') return refused(verdict, { turn, call, shown });
    const data = { path, replacement: withHint(replacement.trim(), shown), cause: 'react.hide' };
    // SOURCES comes after the tail of the prompt, so its rows are never cached.
    const cached = !path.startsWith('so:');
    const breaks = cached
      ? [cacheBreak({ turn, call, cause: 'hide', tokens: verdict.tail_tokens })]
      : [];
    return {
      result: { ok: true, ret: { ...verdict, status: 'hidden' } },
      blocks: [{ turn, call, type: 'view.hide', author: 'agent', data }, ...breaks],
      preview: `${shown} is hidden: ${grouped(verdict.tokens_hidden)} tokens.`,
    };
  },
});

function refused(
  verdict: HideVerdict,
  { shown, ...place }: { turn: TurnId; call: CallId; shown: string },
): ToolOutcome {
  const { status, before_cache, tail_tokens } = verdict;
  const why = before_cache
    ? 'it lies before the cache mark'
    : `${grouped(tail_tokens)} tokens come after it`;
  const message =
    status === 'not_found'
      ? `Nothing you see has the path ${shown}.`
      : `${shown} stays: ${why}. It is pruned automatically when the cache is cold.`;
  const code = before_cache ? 'hide_before_cache' : 'hide_too_old';
  return {
    result: { ok: false, error: { code: status, message, retryable: false }, ret: { ...verdict } },
    blocks: status === 'too_old' ? [callNotice(place, code, `${shown} was not hidden.`)] : [],
  };
}

function withHint(replacement: string, path: string): string {
  if (replacement.includes('react.read')) return replacement;
  const hint = `[hidden: react.read ${path} shows it]`;
  return replacement === '' ? hint : `${replacement}\n${hint}`;
}
