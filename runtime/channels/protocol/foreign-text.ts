/**
 * Text at the beginning of a line that does not belong in a reply: it imitates the log in the prompt or uses the tool-call
 * syntax of another protocol. If it invents a result or a user message, the rest of the reply depends on the invention.
 */
export type ForeignText = { readonly what: 'log' | 'tool_call'; readonly ends: boolean };

/** Labels as they appear in the rendered log, in capitals. */
const labels: readonly string[] = [
  '[THINKING]',
  '[NOTES]',
  '[CODE]',
  '[TOOL CALL',
  '[ASSISTANT MESSAGE',
  '[WORKING SUMMARY',
];
/** Labels that only the runtime writes. */
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
  "{'action'",
];

/** `more`: the line may still become foreign text. */
export function foreignText(line: string): ForeignText | 'more' | undefined {
  const lower = line.toLowerCase();
  if (inventions.some((each) => line.startsWith(each))) return { what: 'log', ends: true };
  if (labels.some((each) => line.startsWith(each))) return { what: 'log', ends: false };
  if (callSyntax.some((each) => lower.startsWith(each))) return { what: 'tool_call', ends: true };
  const upper = [...labels, ...inventions].some((each) => each.startsWith(line));
  return upper || callSyntax.some((each) => each.startsWith(lower)) ? 'more' : undefined;
}

/** Whether a JSON object names a function and its arguments, as calls in other protocols do. */
export function isForeignCall(object: string): boolean {
  return (
    /"(name|tool|tool_name|function)"\s*:/.test(object) &&
    /"(arguments|parameters|params|input|args)"\s*:/.test(object)
  );
}
