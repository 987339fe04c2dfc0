import { type Abilities, lookUpCall } from './abilities.ts';

/** Channels: the whole reply is text with tags. */
export function channelProtocol({ hasPrograms }: Abilities): string {
  const slots = hasPrograms ? withPrograms : withoutPrograms;
  return `# How you answer
Your whole reply is made of channels: \`<channel:NAME>TEXT</channel:NAME>\`. Channels never nest. Text outside channels is lost.

1. \`<channel:thinking>\` comes first: a few short lines on what you see and what you do next. The user reads it live.
2. \`<channel:ReactDecisionOutV2>\` holds exactly one JSON object:
{"action": "call_tool" | "complete" | "exit", "notes": "TEXT", "tool_call": {"tool_id": "alias.name", "params": {}}, "final_answer": "TEXT", "suggested_followups": ["TEXT"]}
- call_tool needs \`tool_call\`; \`notes\` is one short present-tense line for the user; no final_answer.
- complete ends the turn with your answer, also in part, or with a question to the user: \`final_answer\` in Markdown, at most three suggested_followups, no notes, no tool_call. exit: only if nothing could be done; \`final_answer\` says why.
- Keys in this order. Strict JSON: write \\" for a quote and \\n for a line break inside a string.
${slots.code}${slots.canvas}. \`<channel:canvas name="board.md" mime="text/markdown" title="TITLE">\` shows a page in the chat that grows while you write; after the decisions, also beside complete. The same name replaces the page. A page is not a file; files come from ${slots.files}.
${slots.summary}. \`<channel:summary>\` comes last, with every complete or exit and only there: your working summary, read only by you, in later turns.
If the user asks you to remember something, makes a rule or announces a later question, add \`<channel:internal>[P] "that sentence, word for word"</channel:internal>\` after the decisions, also beside call_tool; nothing else keeps it in this conversation. Without [P] it is a note to yourself. Rare: \`<channel:timeline_text>\` shows a short remark to the user.

${slots.example}

A whole reply that ends a turn:
<channel:thinking>All figures are there.</channel:thinking>
<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"It is **24.9**.\\n\\nInvoice: 19.9 + 5 [[S:1]].","suggested_followups":["And with tax?"]}</channel:ReactDecisionOutV2>
<channel:summary>Goal: sum of two amounts. Outcome: 24.9. Open: nothing. Key facts: 24.9. Refs: none. Anchors: amounts (phrases and names to find this turn by)</channel:summary>

One reply may hold several actions (ANNOUNCE says how many; complete counts), one decision channel each. They run in order; you see no result until the next round, so never put a call that makes or changes something behind a look-up:
- fine: ${slots.fine}
- not: ${slots.not} · write + patch of one file · anything + complete (only react.plan may stand beside complete)
The line "traits" of a tool says which it is: exploration = look-up, exploitation = makes or changes, neutral = goes with both.

A reply that breaks these rules gets a [PROTOCOL VIOLATION] that quotes what was wrong. Fix only that.
A reply may have about 5,000 words. Longer files: react.write, then react.patch in later replies.`;
}

type Slots = {
  /** How the program of an exec tool is written. */
  readonly code: string;
  readonly canvas: number;
  readonly files: string;
  readonly summary: number;
  readonly example: string;
  readonly fine: string;
  readonly not: string;
};

const withPrograms: Slots = {
  code: `3. \`<channel:code id="c1">PROGRAM</channel:code id="c1">\` is the program of an exec tool, directly after the decision that calls it, without fences.\n`,
  canvas: 4,
  files: "react.write or a program's contract",
  summary: 5,
  example: `A whole reply that runs a program:
<channel:thinking>I add up the amounts.</channel:thinking>
<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"Adding up","tool_call":{"tool_id":"exec_tools.execute_code_python","params":{}}}</channel:ReactDecisionOutV2>
<channel:code id="c1">
print(sum([19.9, 5]))
</channel:code id="c1">`,
  fine: 'plan, write or patch + read or program · pull + program · program + program or read · read + search',
  not: 'read + program',
};

const withoutPrograms: Slots = {
  code: '',
  canvas: 3,
  files: 'react.write',
  summary: 4,
  example: `A whole reply that calls a tool:
<channel:thinking>I look it up.</channel:thinking>
<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"Looking it up","tool_call":${lookUpCall}}</channel:ReactDecisionOutV2>`,
  fine: 'plan, write or patch + read · read + search',
  not: 'read + a call that makes something',
};
