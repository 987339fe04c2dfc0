/**
 * Text at the beginning of a line that belongs to no reply: the look of the log that a prompt shows, or the tool-call
 * syntax of some other protocol. Where a result or a user is made up, the rest of the reply rests on an invention.
 */
export type ForeignText = { readonly what: 'log' | 'tool_call'; readonly ends: boolean };

/** Labels as the log is rendered, in its capitals. */
const labels: readonly string[] = [
  '[THINKING]',
  '[NOTES]',
  '[CODE]',
  '[TOOL CALL',
  '[ASSISTANT MESSAGE',
  '[WORKING SUMMARY',
];
/** Only the runtime writes these. */
const inventions: readonly string[] = [
  '[TOOL RESULT',
  '[USER MESSAGE',
  '[FOLLOWUP DURING TURN',
  '[PROTOCOL VIOLATION',
];
const callSyntax: readonly string[] = [
  '<tool_call',
  '<tool_use',
  '<function_call',
  '<function=',
  '<function ',
  '<invoke',
  '<|tool',
  '<|python_tag|>',
  '<|channel|>',
  '<|start|>',
  '<｜tool',
  '[tool_calls]',
  '```tool_code',
  '```tool_call',
];

/** `more`: the line may still become one of these. */
export function foreignText(line: string): ForeignText | 'more' | undefined {
  const lower = line.toLowerCase();
  if (inventions.some((each) => line.startsWith(each))) return { what: 'log', ends: true };
  if (labels.some((each) => line.startsWith(each))) return { what: 'log', ends: false };
  if (callSyntax.some((each) => lower.startsWith(each))) return { what: 'tool_call', ends: true };
  const upper = [...labels, ...inventions].some((each) => each.startsWith(line));
  return upper || callSyntax.some((each) => each.startsWith(lower)) ? 'more' : undefined;
}

/** A JSON object that names a function and its arguments, as other protocols write a call. */
export function isForeignCall(object: string): boolean {
  return (
    /"(name|tool|tool_name|function)"\s*:/.test(object) &&
    /"(arguments|parameters|params|input|args)"\s*:/.test(object)
  );
}
