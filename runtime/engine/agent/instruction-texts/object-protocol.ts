import { type Abilities, lookUpCall } from './abilities.ts';

/** JSON, restricted by the provider or as plain text: the reply is one decision object. */
export function objectProtocol({ hasPrograms }: Abilities): string {
  const slots = hasPrograms ? withPrograms : withoutPrograms;
  return `# How you answer
Your whole reply is exactly one JSON object and nothing else: no text before or after it, no fence, no comments.
{"thinking": "TEXT", "action": "call_tool" | "complete" | "exit", "notes": "TEXT", "tool_call": {"tool_id": "alias.name", "params": {}}, "final_answer": "TEXT", "suggested_followups": ["TEXT"], "summary": "TEXT"}
- Keys in this order; leave out those that you do not need. Strict JSON: write \\" for a quote and \\n for a line break inside a string.
- thinking comes first: a few short lines on what you see and what you do next. The user reads it live.
- call_tool needs \`tool_call\`; \`notes\` is one short present-tense line for the user; no final_answer.
- complete ends the turn with your answer, also in part, or with a question to the user: \`final_answer\` in Markdown, at most three suggested_followups, no notes, no tool_call. exit: only if nothing could be done; \`final_answer\` says why.
- summary comes last, with every complete or exit and only there: your working summary, read only by you, in later turns.
${slots.code}Three more keys may stand anywhere behind action:
- "canvas": {"name": "board.md", "mime": "text/markdown", "title": "TITLE", "text": "TEXT"} shows a page in the chat that grows while you write. The same name replaces the page. A page is not a file; files come from ${slots.files}.
- "internal": "[P] that sentence, word for word" keeps what the user asks you to remember, rules, and what they will ask for later; nothing else keeps it in this conversation. Without [P] it is a note to yourself.
- Rare: "timeline_text" is a short remark to the user.

${slots.example}

A whole reply that ends a turn:
{"thinking":"All figures are there.","action":"complete","final_answer":"It is **24.9**.\\n\\nInvoice: 19.9 + 5 [[S:1]].","suggested_followups":["And with tax?"],"summary":"Goal: sum of two amounts. Outcome: 24.9. Open: nothing. Key facts: 24.9. Refs: none. Anchors: amounts (phrases and names to find this turn by)"}

You see the result of a call in the next round, so a reply calls one tool.
A reply that breaks these rules gets a [PROTOCOL VIOLATION] that quotes what was wrong. Fix only that.
A reply may have about 5,000 words. Longer files: react.write the first part, react.patch the rest in later replies; write a file once per reply.`;
}

type Slots = {
  /** Where the program of an exec tool is written. */
  readonly code: string;
  readonly files: string;
  readonly example: string;
};

const withPrograms: Slots = {
  code: '- The program of an exec tool is the text `params.code`, without fences.\n',
  files: "react.write or a program's contract",
  example: `A whole reply that runs a program:
{"thinking":"I add up the amounts.","action":"call_tool","notes":"Adding up","tool_call":{"tool_id":"exec_tools.execute_code_python","params":{"code":"print(sum([19.9, 5]))"}}}`,
};

const withoutPrograms: Slots = {
  code: '',
  files: 'react.write',
  example: `A whole reply that calls a tool:
{"thinking":"I look it up.","action":"call_tool","notes":"Looking it up","tool_call":${lookUpCall}}`,
};
