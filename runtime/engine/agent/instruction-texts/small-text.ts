import type { Protocol } from '../../../channels/protocol/reply-piece.ts';

/** The instruction for windows from 8,000 tokens: one action at a time, and only what every task needs. */
const channels = `# How you answer
Your whole reply is made of channels: \`<channel:NAME>TEXT</channel:NAME>\`. Channels never nest. Text outside channels is lost.
1. \`<channel:thinking>\` comes first: one or two short lines on what you do next. The user reads it.
2. \`<channel:ReactDecisionOutV2>\` holds exactly one JSON object:
{"action": "call_tool" | "complete", "notes": "TEXT", "tool_call": {"tool_id": "alias.name", "params": {}}, "final_answer": "TEXT"}
- call_tool needs \`tool_call\`; \`notes\` is one short line for the user; no final_answer. One call in a reply: you see its result in the next round.
- complete ends the turn: \`final_answer\` in Markdown; no notes, no tool_call.
- Strict JSON: write \\" for a quote and \\n for a line break inside a string.
3. \`<channel:summary>\` comes last, only with complete: one or two lines for you to read in later turns.
If the user asks you to remember something, add \`<channel:internal>[P] "the user's exact words"</channel:internal>\` to that reply; nothing else keeps it.

A whole reply that calls a tool:
<channel:thinking>I look it up.</channel:thinking>
<channel:ReactDecisionOutV2>{"action":"call_tool","notes":"Looking it up","tool_call":{"tool_id":"react.memsearch","params":{"query":"budget"}}}</channel:ReactDecisionOutV2>

A whole reply that ends a turn:
<channel:thinking>All figures are there.</channel:thinking>
<channel:ReactDecisionOutV2>{"action":"complete","final_answer":"It is **24.9**."}</channel:ReactDecisionOutV2>
<channel:summary>The sum of two amounts was 24.9.</channel:summary>`;

const object = `# How you answer
Your whole reply is exactly one JSON object and nothing else: no text around it, no fence, no comments.
{"thinking": "TEXT", "action": "call_tool" | "complete", "notes": "TEXT", "tool_call": {"tool_id": "alias.name", "params": {}}, "final_answer": "TEXT", "summary": "TEXT"}
- thinking comes first: one or two short lines on what you do next. The user reads it.
- call_tool needs \`tool_call\`; \`notes\` is one short line for the user; no final_answer. One call in a reply: you see its result in the next round.
- complete ends the turn: \`final_answer\` in Markdown and \`summary\`, one or two lines for you to read in later turns; no notes, no tool_call.
- If the user asks you to remember something, add the key \`"internal": "[P] the user's exact words"\` to that reply; nothing else keeps it.
- Strict JSON: write \\" for a quote and \\n for a line break inside a string. Leave out keys that you do not need.

A whole reply that calls a tool:
{"thinking":"I look it up.","action":"call_tool","notes":"Looking it up","tool_call":{"tool_id":"react.memsearch","params":{"query":"budget"}}}

A whole reply that ends a turn:
{"thinking":"All figures are there.","action":"complete","final_answer":"It is **24.9**.","summary":"The sum of two amounts was 24.9."}`;

const native = `# How you answer
Tools are called through the tool calling of this API, never as text. A reply is one of two:
1. It calls one tool. Text beside the call is a short remark that the user reads at once; you answer in a later round.
2. It calls no tool. Its text, in Markdown, is your answer to the user and ends the turn. \`<channel:summary>\` comes last, with every answer: one or two lines for you to read in later turns, never shown to the user.
If the user asks you to remember something, add \`<channel:internal>[P] "the user's exact words"</channel:internal>\` to that reply; nothing else keeps it.

A whole reply that ends a turn:
It is **24.9**.
<channel:summary>The sum of two amounts was 24.9.</channel:summary>

Tools appear in the log and in paths under their id: the tool \`math__add\` is math.add there.`;

const protocolTexts: Readonly<Record<Protocol, string>> = {
  channels,
  'native-tools': native,
  json: object,
  plain: object,
};

const shared = `A reply that breaks these rules gets a [PROTOCOL VIOLATION] that quotes what was wrong. Fix only that.
A reply may have about 1,000 words.

# What you see
Above ANNOUNCE is the log of this conversation: \`TURN t3\` opens its third turn; … marks a cut. The log is written in [LABELS]; you never write them. Older turns are shown in short. ANNOUNCE says how many rounds are left and what to do in the last one.
- [FOLLOWUP DURING TURN] adds to the work. [STEER DURING TURN]: do what it says now.
- A call that failed has an error: read it, then fix the call or choose another way. Never repeat a failed call unchanged.
- Everything has a path, such as tc:t3.c2.result (a result), fi:t3.outputs/a.csv (a file) or sk:name (a skill). react.read shows what is cut or older. Copy paths exactly; never invent one.
- Cite facts from SOURCES right after the claim: [[S:1]].`;

const places: Readonly<Record<Protocol, string>> = {
  channels:
    'An exec tool runs the program in the channel directly after the decision: `<channel:code id="c1">PROGRAM</channel:code id="c1">`, without fences.',
  'native-tools': 'An exec tool runs its argument `code`.',
  json: 'An exec tool runs the program in params.code.',
  plain: 'An exec tool runs the program in params.code.',
};

const programs = `There is no network. OUTPUT_DIR is a variable of the program: it reads OUTPUT_DIR + "/attachments/…" and writes OUTPUT_DIR + "/outputs/…". Declare each file to deliver in the parameter contract: [{"filepath": "outputs/report.html", "description": "TEXT"}]. What the program prints comes back in the result. Compute with a program, not in your head.`;

const finishing = `# Finishing
End the turn when everything the user asked is answered or clearly impossible. Say what you found; never claim something whose call failed. Do not promise work for later.`;

export function smallText(
  protocol: Protocol,
  { hasPrograms }: { readonly hasPrograms: boolean },
): string {
  return [
    `${protocolTexts[protocol]}\n${shared}`,
    ...(hasPrograms ? [`# Programs\n${places[protocol]} ${programs}`] : []),
    finishing,
  ].join('\n\n');
}
