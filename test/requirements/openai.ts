import type { Promises } from './promises.ts';

export const openai: Promises = {
  'options.tools':
    'A message declares functions, which are tools of the turn that it opens; its sender performs their calls.',
  'openai.text':
    'Text that clients of OpenAI have received grows to the text on the log, or is withdrawn.',
  'openai.chunks':
    'A turn is a stream of chat completion chunks, or one completion, with its tools and files as mistral.rs reports them.',
  'openai.usage': 'Prompt tokens cover all rounds and include cached ones.',
  'openai.client-tools':
    'A call of a function of the request ends the completion with tool_calls; the results go on with the same turn.',
  'openai.replaced': 'Text that a turn took back is never the end of its answer.',
};
