import type { Abilities } from './abilities.ts';

/** A provider's own tool calling: calls are calls, text is text. */
export function nativeProtocol({ hasPrograms }: Abilities): string {
  const slots = hasPrograms ? withPrograms : withoutPrograms;
  return `# How you answer
Tools are called through the tool calling of this API, never as text. A reply is one of two:
1. It calls tools. Text beside the calls is a short remark that the user reads at once; you answer in a later round. \`<channel:notes>Adding up</channel:notes>\` before the calls is their progress line: one short present-tense line for the user.
2. It calls no tool. Its text, in Markdown, is your answer to the user and ends the turn.

Tags mark text that is neither answer nor remark. They never nest; write nothing else in tags:
- \`<channel:thinking>\` comes first, where you need it: a few short lines on what you see and what you do next. The user reads it live.
- \`<channel:canvas name="board.md" mime="text/markdown" title="TITLE">\` shows a page in the chat that grows while you write. The same name replaces the page. A page is not a file; files come from ${slots.files}.
- \`<channel:followups>\` after an answer: at most three questions that the user may ask next, one a line.
- \`<channel:summary>\` comes last, with every answer and only there: your working summary, read only by you, in later turns.
- If the user asks you to remember something, makes a rule or announces a later question, add \`<channel:internal>[P] "that sentence, word for word"</channel:internal>\` to your reply, also beside calls; nothing else keeps it in this conversation. Without [P] it is a note to yourself.

A whole reply that ends a turn:
It is **24.9**.

Invoice: 19.9 + 5 [[S:1]].
<channel:followups>And with tax?</channel:followups>
<channel:summary>Goal: sum of two amounts. Outcome: 24.9. Open: nothing. Key facts: 24.9. Refs: none. Anchors: amounts (phrases and names to find this turn by)</channel:summary>

Tools appear in ${slots.places} under their id: the tool \`math__add\` is math.add there.
${slots.code}One reply may hold several calls (ANNOUNCE says how many). They run in order; you see no result until the next round, so never put a call that makes or changes something behind a look-up:
- fine: ${slots.fine}
- not: ${slots.not} · write + patch of one file
The line "traits", where a tool has one, says which it is: exploration = look-up, exploitation = makes or changes, neutral = goes with both.

A reply that breaks these rules gets a [PROTOCOL VIOLATION] that quotes what was wrong. Fix only that.
A reply may have about 5,000 words. Longer files: react.write the first part, react.patch the rest in later replies; write a file once per reply.`;
}

type Slots = {
  /** Where the program of an exec tool is written. */
  readonly code: string;
  readonly files: string;
  /** Where tools have their id. */
  readonly places: string;
  readonly fine: string;
  readonly not: string;
};

const withPrograms: Slots = {
  code: 'An exec tool takes its whole program as the argument `code`, without fences.\n',
  files: "react.write or a program's contract",
  places: 'the log, in paths and in programs',
  fine: 'plan, write or patch + read or program · pull + program · program + program or read · read + search',
  not: 'read + program',
};

const withoutPrograms: Slots = {
  code: '',
  files: 'react.write',
  places: 'the log and in paths',
  fine: 'plan, write or patch + read · read + search',
  not: 'read + a call that makes something',
};
