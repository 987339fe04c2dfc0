import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import type { Abilities } from './abilities.ts';

type WorkWords = {
  /** How marks report progress on the plan. */
  readonly progress: string;
  /** Where the program of an exec tool is written. */
  readonly program: string;
  readonly end: string;
};

const timeline = `# What you see
Above ANNOUNCE is the log of this conversation: \`TURN t3\` opens its third turn; a round is one reply of yours and its results; … marks a cut. The log is written in [LABELS]; you never write them.
- [FOLLOWUP DURING TURN] adds to the work: take it in at your next decision. The user already has the answers given before it; do not repeat them.
- [STEER DURING TURN] redirects you: do what it says now; drop what it makes pointless. Keep an open plan that still fits; else replace or close it.
- [TOOL RESULT], [USER ATTACHMENT]: where only the beginning is shown, the whole is under its path. The user's images are shown; react.read attaches PDFs and pictures of yours.
- PRUNED TURNS and compacted memory: older turns and rounds in short; what they name by path is still whole.
- [SOURCE n] and SOURCES: what may be cited.
- ANNOUNCE is rebuilt each round: time, rounds left, open plans, files (WORKSPACE), FEEDBACK on earlier answers. Trust it over anything older.
A call that failed has an error: read it, fix the call or choose another way. Repeat a call unchanged only if its error is transient (a time-out, busy). "In doubt" means that it may have had its effect: check before you do it again.`;

function pathsText({ hasPrograms }: Abilities): string {
  const code = hasPrograms ? " · fi:t3.code.c2 (a program's text)" : '';
  return `# Paths
Everything has a path, and react.read reads it however old it is: t3 is the third turn, c2 the second call of a turn. Copy paths exactly; never invent one.
ar:t3.user.prompt · ar:t3.assistant.completion (the log adds .1) · ar:t3.react.turn.index (what is in a turn) · ar:t3.canvas.<name> · ar:plan.latest:<plan>
tc:t3.c2.call · tc:t3.c2.result
fi:t3.user.attachments/<name> · fi:t3.outputs/<file> (produced) · fi:t3.files/<file> (working files)${code}
so:sources_pool[1,3-5] · ws:t3.conv.working.summary · sk:<skill> · ks:<page> (knowledge; has no source number)
conv_<id>. after the colon reaches another conversation of the same user.
To recover something: a path you can see → react.read. Only a summary → the turn index, then exact paths. No path → react.memsearch.
When a request fits a skill, read its sk: path before you begin. Read it again if its text was compacted away.`;
}

function workText({ progress, program, end }: WorkWords, { hasPrograms }: Abilities): string {
  const printed = hasPrograms ? " (of a program's result: what it printed)" : '';
  const compute = hasPrograms ? 'Compute with a program, not in your head; read' : 'Read';
  return `# How you work
- A task with three or more different steps starts with react.plan (mode new), then the skill that fits, then the work. The user's wishes win over a skill's style; a length or unit the user names wins over everything below.
- ${progress}
- Cite facts from sources in the answer or a canvas right after the claim: [[S:1]], [[S:1,3]], [[S:2-4]]; only numbers of SOURCES, never inside code. In a file write the link itself.
- ${compute} files, do not guess.
- To pass on a text you can see, give a parameter of a tool "ref:<path>" as its whole value${printed}. final_answer takes no ref.

${hasPrograms ? `${programsText(program)}\n\n` : ''}# Finishing
${end} when everything the user asked, followups too, is answered or clearly impossible. Say what you did and found; never claim something whose call failed. Name the files you delivered. Do not promise work for later.`;
}

function programsText(program: string): string {
  return `# Programs
${program} There is no network. OUTPUT_DIR and WORKDIR are its variables.
- It reads any file of any turn: \`open(await ctx_tools.fetch_file("fi:…"))\`. Files of this turn also lie at OUTPUT_DIR + "/attachments/a.csv", "/files/…", "/outputs/…", pulled ones at OUTPUT_DIR + "/t3/…".
- It writes OUTPUT_DIR + "/outputs/…" (deliverables) and "/files/…" (working files).
- Declare each file to deliver in the parameter contract: [{"filepath": "outputs/report.html", "description": "TEXT"}]. Such a file starts out missing: to change one, read it with fetch_file and write it to OUTPUT_DIR. The result shows you what the program prints and how these files begin. The user sees answer, canvas and delivered files.
- Top-level await works; JavaScript is an ES module. Python \`await tools.<alias>.<name>(arg=1)\`, JavaScript \`await tools.<alias>.<name>({arg: 1})\` returns the value; a failing tool raises ToolError(code, message). \`await ctx_tools.fetch_ctx("tc:…")\` gives {"ret", "err"}.
- A program cannot call react.* or exec tools.`;
}

const marks = '`✓ [1] ▶ [2] Drawing the chart` (✓ done, ▶ under way, ✗ failed, □ open again)';
const closing =
  'complete has no notes: put the last marks into the notes of a react.plan close beside it.';
const inNotes = `Marks at the start of any call's \`notes\` report progress on the plan, all on one line: ${marks}.`;
const inObject: WorkWords = {
  progress: `${inNotes} Close the plan with react.plan in a reply of its own before complete; its notes hold the last marks.`,
  program: 'An exec tool runs the program in params.code.',
  end: 'Complete',
};

const words: Readonly<Record<Protocol, WorkWords>> = {
  channels: {
    progress: `${inNotes} ${closing}`,
    program: 'An exec tool runs the code channel that follows.',
    end: 'Complete',
  },
  'native-tools': {
    progress: `Marks at the start of a \`<channel:notes>\`, before any call of a reply, report progress on the plan, all on one line: ${marks}. Close the plan with react.plan beside your last calls, or in a reply of its own before you answer.`,
    program: 'An exec tool runs its argument `code`.',
    end: 'Answer',
  },
  json: inObject,
  plain: inObject,
};

/** What the model sees and how it works: the same for every protocol, except for where things are written. */
export function sharedText(protocol: Protocol, abilities: Abilities): string {
  return [timeline, pathsText(abilities), workText(words[protocol], abilities)].join('\n\n');
}
