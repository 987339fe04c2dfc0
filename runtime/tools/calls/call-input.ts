import type { JsonObject } from '../../base/json.ts';
import { errorCharsMax } from '../limits.ts';
import type { CallServices } from '../ports/call-services.ts';
import type { CallContext, ParsedInput, Tool, ToolError } from '../ports/tool.ts';
import { bindRefs } from '../refs/bind-refs.ts';
import { cutText } from '../text/cut-text.ts';

type InputRequest = {
  readonly tool: Tool;
  readonly input: JsonObject;
  /** The input is data of a program, in which `ref:` has no special meaning. */
  readonly literal?: true;
  readonly context: CallContext & { readonly services: CallServices };
};

/** Approval and execution see the same input: the contents at the paths, not the references. */
export async function bindInput({ tool, input, literal, context }: InputRequest) {
  if (literal) return { ok: true as const, input, notices: [] };
  return bindRefs(input, { spec: tool.spec, context });
}

export function invalidInput(violations: NonNullable<ToolError['violations']>): ToolError {
  const list = violations.map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  return {
    code: 'invalid_input',
    message: cutText(`The input does not fit. ${list.join('; ')}`, 4 * errorCharsMax),
    retryable: false,
    violations,
  };
}

/** A value that the model sent for a preset was not used. */
export function noticePresets(
  { overridden = [] }: Extract<ParsedInput, { ok: true }>,
  { tool, context: { services } }: InputRequest,
): void {
  if (overridden.length === 0) return;
  const names = overridden.join(', ');
  const text = `${tool.spec.id} sets ${names} itself; the value that you gave was not used.`;
  services.notice('preset_kept', text);
}
