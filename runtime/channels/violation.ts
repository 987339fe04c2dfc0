import type { Notice } from './channel.ts';
import { previewCharsMax } from './limits.ts';

/** Why an action was not accepted. On the timeline: `protocol_violation.<code>`. */
export const violationCodes = [
  'decision_missing_protocol_channels',
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

/** `message` is written for the model: what was wrong, and what to do next. */
export type Violation = Notice<ViolationCode>;

export function violation(
  code: ViolationCode,
  message: string,
  detail: Violation['detail'] = {},
): Violation {
  return { code, message, detail };
}

/** The beginning of a text, whole characters only. */
export function preview(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= previewCharsMax) return trimmed;
  return `${trimmed.slice(0, previewCharsMax).toWellFormed()}…`;
}
