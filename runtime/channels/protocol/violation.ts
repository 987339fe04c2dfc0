import type { Notice } from './channel.ts';
import { excerptCharsMax, nearCharsAfter, nearCharsBefore, previewCharsMax } from './limits.ts';

/** Why an action was rejected. On the timeline: `protocol_violation.<code>`. */
export const violationCodes = [
  'decision_missing_protocol_channels',
  'log_imitation',
  'native_tool_call',
  'action_schema_error',
  'multiple_decision_objects',
  'truncated_action',
  'invalid_action',
  'missing_tool_id',
  'final_answer_required',
  'final_answer_with_tool_call',
  'missing_code',
  'code_channel_without_single_exec',
  'code_channel_with_multi_action',
  'multi_action_bundle_too_many_actions',
  'multi_action_bundle_unsafe_tool',
  'multi_action_bundle_strategy_incompatible',
  'multi_action_bundle_final_answer_after_non_neutral',
  'multi_action_bundle_non_neutral_after_final_answer',
  'multi_action_bundle_final_answer_not_allowed',
  'multi_action_bundle_same_file_collision',
  'multi_action_bundle_after_rejected',
] as const;
export type ViolationCode = (typeof violationCodes)[number];

/** `message` is for the model: what was wrong and what to do next. */
export type Violation = Notice<ViolationCode>;

export function violation(
  code: ViolationCode,
  message: string,
  detail: Violation['detail'] = {},
): Violation {
  return { code, message, detail };
}

/** The beginning of a text; never splits a character. */
export function preview(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= previewCharsMax) return trimmed;
  return `${trimmed.slice(0, previewCharsMax).toWellFormed()}…`;
}

/** The beginning of a text on one line, for a quote in a message. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= excerptCharsMax) return line;
  return `${line.slice(0, excerptCharsMax).toWellFormed()}…`;
}

/** The text around an offset, on one line, for readers who cannot count characters. */
export function near(text: string, offset: number): string {
  const start = Math.max(0, offset - nearCharsBefore);
  const end = Math.min(text.length, offset + nearCharsAfter);
  const line = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}
