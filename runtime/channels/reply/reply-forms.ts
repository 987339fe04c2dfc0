import type { Protocol } from '../protocol/reply-piece.ts';

/** How a reply of this protocol is written, for messages to the model. */
export type ReplyForms = {
  /** An answer alone. */
  readonly answer: string;
  /** A call of this tool. */
  call(tool: string): string;
  /** A call of a tool that runs a program. */
  program(tool: string): string;
  /** What the reply consists of. */
  readonly parts: string;
};

const objectForms: ReplyForms = {
  answer:
    'write {"thinking":"I can answer.","action":"complete","final_answer":"YOUR ANSWER","summary":"YOUR SUMMARY"}',
  call: (tool) =>
    `write {"thinking":"I look it up.","action":"call_tool","notes":"Looking it up","tool_call":{"tool_id":"${tool}","params":{…}}}`,
  program: (tool) =>
    `write {"thinking":"I run a program.","action":"call_tool","notes":"Running the program","tool_call":{"tool_id":"${tool}","params":{"code":"PROGRAM"}}}`,
  parts: 'a JSON object with an action',
};

const tagged = (body: string) => `<channel:ReactDecisionOutV2>${body}</channel:ReactDecisionOutV2>`;

const forms: Readonly<Record<Protocol, ReplyForms>> = {
  channels: {
    answer: `write <channel:thinking>I can answer.</channel:thinking>${tagged('{"action":"complete","final_answer":"YOUR ANSWER"}')}<channel:summary>YOUR SUMMARY</channel:summary>`,
    call: (tool) =>
      `write <channel:thinking>I look it up.</channel:thinking>${tagged(`{"action":"call_tool","notes":"Looking it up","tool_call":{"tool_id":"${tool}","params":{…}}}`)}`,
    program: (tool) =>
      `write <channel:thinking>I run a program.</channel:thinking>${tagged(`{"action":"call_tool","notes":"Running the program","tool_call":{"tool_id":"${tool}","params":{}}}`)}<channel:code id="c1">PROGRAM</channel:code id="c1">`,
    parts: '<channel:…> tags',
  },
  'native-tools': {
    answer: 'write it as plain text.',
    call: (tool) =>
      tool === '…'
        ? 'use the tool calling of this API; never write a call as text'
        : `call ${tool} through the tool calling of this API; never write a call as text`,
    program: (tool) => `call ${tool} again with the whole program as its argument "code".`,
    parts: 'an answer or a tool call',
  },
  json: objectForms,
  plain: objectForms,
};

/** Undefined: `channels`. */
export function formsOf(protocol: Protocol = 'channels'): ReplyForms {
  return forms[protocol];
}
