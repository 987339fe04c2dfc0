import type { AttachBudget } from './attachments.ts';
import {
  attachedBytesMax,
  attachedContextShare,
  contextTokensDefault,
  readCharsMax,
  readCharsPerToken,
  readContextShare,
  readPathsShare,
  readTokensFloor,
  readTokensMax,
} from './limits.ts';
import { type LineNumbers, takeWindow, type Window, type WindowRequest } from './text-window.ts';

type Caps = { readonly chars: number; readonly tokens: number };

/** `path` is the limit of one path; `chars` and `tokens` are what is left for the remaining paths. */
export type ReadBudget = {
  readonly path: Caps;
  readonly total: Caps;
  chars: number;
  tokens: number;
  readonly attach: AttachBudget;
};

export function openBudget(contextTokens = contextTokensDefault): ReadBudget {
  const share = Math.floor(contextTokens * readContextShare);
  const tokens = Math.min(readTokensMax, Math.max(readTokensFloor, share));
  const path = { tokens, chars: Math.min(readCharsMax, tokens * readCharsPerToken) };
  const total = { tokens: tokens * readPathsShare, chars: path.chars * readPathsShare };
  const attached = Math.floor(contextTokens * attachedContextShare);
  return { path, total, ...total, attach: { bytes: attachedBytesMax, tokens: attached } };
}

/** Undefined if the budget is used up. A skill is always read whole. */
export function windowLimits(
  path: string,
  { path: one, chars, tokens }: ReadBudget,
): Caps | undefined {
  if (path.startsWith('sk:')) return { chars: Infinity, tokens: Infinity };
  if (chars <= 0 || tokens <= 0) return undefined;
  return { chars: Math.min(one.chars, chars), tokens: Math.min(one.tokens, tokens) };
}

type TakeOptions = {
  readonly range: WindowRequest;
  readonly limits: Caps;
  readonly numbers: LineNumbers;
  readonly budget: ReadBudget;
};

export function takeWithin(text: string, { range, limits, numbers, budget }: TakeOptions): Window {
  const window = takeWindow(text, range, { ...limits, numbers });
  budget.chars = Math.max(0, budget.chars - window.text.length);
  budget.tokens = Math.max(0, budget.tokens - window.tokens);
  return window;
}
