import type { Json } from '../../base/json.ts';
import type { Block } from '../block.ts';
import {
  announceRowCharsMax,
  announceRowsMax,
  liveEventCharsMax,
  liveEventFilesMax,
  liveEventsShownMax,
} from '../limits.ts';
import { boardPlans, isOpen, stepLine } from '../plans/plan-text.ts';
import { shortNames } from '../short-names.ts';
import type { PlanSnapshot, TurnView, View } from '../view.ts';
import { type AnnounceSection, brief } from './text.ts';

export type AnnounceInputs = {
  /** ISO 8601 UTC. */
  readonly now: string;
  /** 1-based number of the round that this prompt starts. */
  readonly round: number;
  /** In rounds. `total` includes the `bonus` for events during the turn. */
  readonly budget: { readonly used: number; readonly total: number; readonly bonus: number };
  readonly elapsedMs: number;
  /** How full the context is, in percent. Absent: not worth a line. */
  readonly contextPercent?: number;
  readonly phase: 'decision' | 'finalize';
  /** Cause of the phase `finalize`. Absent: the budget. */
  readonly cause?: 'steer' | 'budget' | 'repetition';
  /** After a steer: the rounds that follow this one if the model plans work in it. Absent: none. */
  readonly resumable?: number;
  /** The structured output must be given now. */
  readonly mustComplete?: boolean;
  /** IANA name of the user's timezone. */
  readonly timezone?: string;
  /** Limits by name, for example `resultCharsMax`. */
  readonly caps: Readonly<Record<string, Json>>;
  readonly inactiveTools: readonly string[];
  readonly workspace: readonly string[];
  readonly feedback: readonly string[];
  /** Facts of the long-term memory. */
  readonly memory?: readonly string[];
  readonly notices: readonly string[];
  /** The form of the reply, and of one that must end the turn, with how to end it. Absent: channels. */
  readonly form?: { readonly next: string; readonly last: string; readonly ending?: string };
  /** Lines of the agent, its tools and its hooks. */
  readonly hints?: readonly string[];
};

/** The section at the end of a prompt with everything that is valid only now. Omits empty sections. */
export function announce(view: View, inputs: AnnounceInputs): string {
  const sections = [
    section('BUDGET', budgetRows(inputs)),
    section('TIME', timeRows(view, inputs)),
    section('CONTEXT CAPS', capRows(inputs)),
    plansSection(view),
    section('LIVE TURN EVENTS', eventRows(view)),
    section('INACTIVE TOOLS', inputs.inactiveTools),
    section('WORKSPACE', inputs.workspace),
    section('LONG-TERM MEMORY', inputs.memory ?? []),
    section('FEEDBACK', inputs.feedback),
    section('NOTICES', inputs.notices),
    section('HINTS', inputs.hints ?? []),
  ];
  const full = sections.filter((text) => text !== '');
  return [title(inputs), ...full, ...phaseRows(inputs, planningOf(view)), replyForm(inputs)].join(
    '\n',
  );
}

/** The last line of a prompt: states the form of the reply, because the log above has another form. */
function replyForm(inputs: AnnounceInputs): string {
  const { next, last } = inputs.form ?? channelForm;
  return `${mustEnd(inputs) ? last : next} The [LABELS] above are a log; never write them.`;
}

/** After a steer the model may still call control tools, or plan more work. */
function mustEnd({ phase, cause, budget, mustComplete, resumable }: AnnounceInputs): boolean {
  if (mustComplete) return true;
  if (phase === 'finalize' && cause !== 'steer') return true;
  return roundsLeft(budget) === 1 && resumable === undefined;
}

const inChannels = (decision: string) =>
  `Reply now, in channels only: <channel:thinking>…</channel:thinking> then <channel:ReactDecisionOutV2>${decision}</channel:ReactDecisionOutV2>.`;
const channelForm = {
  next: inChannels('{"action":…}'),
  last: inChannels('{"action":"complete",…}'),
};

function title({ round, budget: { total, bonus } }: AnnounceInputs): string {
  if (round > total) return `ANNOUNCE - Round ${round} (after ${total}, only to finish)`;
  const earned = bonus > 0 ? ` (${bonus} more for what came in)` : '';
  return `ANNOUNCE - Round ${round}/${total}${earned}`;
}

/** The newest rows, each on one line. */
function section(name: AnnounceSection, rows: readonly string[]): string {
  const shown = rows.slice(-announceRowsMax).map((row) => `- ${brief(row, announceRowCharsMax)}`);
  const left = rows.length - shown.length;
  const more = left > 0 ? [`- … ${left} earlier`] : [];
  return rows.length === 0 ? '' : [`[${name}]`, ...more, ...shown].join('\n');
}

function budgetRows({ budget, elapsedMs, contextPercent }: AnnounceInputs): readonly string[] {
  const { used, total } = budget;
  const cells = total > 0 ? Math.min(10, Math.max(0, Math.round((used / total) * 10))) : 10;
  const bar = `${'█'.repeat(cells)}${'░'.repeat(10 - cells)}`;
  return [
    `${bar} ${roundsLeft(budget)} of ${total} rounds left, this one included`,
    `time in this turn: ${span(elapsedMs)}`,
    ...(contextPercent === undefined
      ? []
      : [
          `context: ${Math.min(99, contextPercent)} % full; at 100 % a summary replaces older turns and rounds. Write a note to yourself of any detail in them that you still need`,
        ]),
  ];
}

function timeRows(view: View, { now, timezone }: AnnounceInputs): readonly string[] {
  const zone = timezone === undefined ? [] : [`user_timezone: ${timezone}`];
  const { openTurn } = view;
  const turn = openTurn ? [`current turn: ${shortNames(view).turn(openTurn.id)}`] : [];
  return [
    `current_utc_timestamp: ${now}`,
    `current_utc_date: ${now.slice(0, 10)}`,
    ...zone,
    ...turn,
  ];
}

function capRows({ caps }: AnnounceInputs): readonly string[] {
  return Object.entries(caps).map(
    ([name, value]) =>
      `${spaced(name)}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

function plansSection({ plans }: View): string {
  const open = boardPlans(plans);
  return ['[OPEN PLANS]', ...(open.length === 0 ? ['plans: none'] : open.map(planText))].join('\n');
}

function planText(plan: PlanSnapshot): string {
  const head = `- ${plan.plan_id}${plan.current ? ' (current)' : ''}`;
  const steps = plan.steps.map(
    (_, index) => `  ${brief(stepLine(plan, index + 1), announceRowCharsMax)}`,
  );
  return [head, ...steps].join('\n');
}

/** Events after the first one of the turn: the text of a new one, or the round since which the agent has seen it. */
function eventRows(view: View): readonly string[] {
  const { openTurn: turn } = view;
  if (!turn) return [];
  const { path: shown } = shortNames(view);
  const events = turn.events.filter(
    ({ type }) => type.startsWith('external.') && type !== 'external.transcript',
  );
  return events.slice(-liveEventsShownMax).map((event) => {
    const kind = event.type.replace('external.', '');
    const since = turn.rounds.find(({ asOf }) => asOf >= event.seq)?.number;
    const said =
      since === undefined
        ? `${kind}: ${brief(event.text ?? '', liveEventCharsMax)}`
        : `${kind}, in sight since round ${since}`;
    const named = [event.path ?? '', ...filesOf(turn, event)].map(shown);
    return [said, ...named].filter(Boolean).join(' | ');
  });
}

function filesOf({ events }: TurnView, { event }: Block): readonly string[] {
  return events
    .filter((each) => each.type === 'user.attachment' && each.event !== undefined)
    .filter((each) => each.event === event)
    .slice(0, liveEventFilesMax)
    .map(({ path = '' }) => path);
}

const completeNow =
  'Complete (or exit) now with what you have. Beside it only react.plan may be called; canvas and summary as usual.';

function phaseRows(inputs: AnnounceInputs, planning: string): readonly string[] {
  const { phase, cause, budget, mustComplete, form } = inputs;
  const { ending = completeNow } = form ?? {};
  if (mustComplete) {
    return [
      'OUTPUT REQUIRED: complete now with an output that fits its schema; this is the last attempt.',
    ];
  }
  if (phase === 'decision') return roundsLeft(budget) === 1 ? [`LAST ROUND. ${ending}`] : [];
  if (cause === 'repetition')
    return ['PHASE finalize: the same call was made again and again.', ending];
  if (cause !== 'steer') return ['PHASE finalize: the budget of this turn is spent.', ending];
  return steeredRows(inputs, { ending, planning });
}

/** How work that a steer asks for is planned. */
function planningOf({ plans }: View): string {
  return plans.some(isOpen)
    ? 'mode replace, with the new steps; or activate, if the open plan still fits'
    : 'mode new, with the steps';
}

function steeredRows(
  { budget, resumable }: AnnounceInputs,
  { ending, planning }: { readonly ending: string; readonly planning: string },
): readonly string[] {
  const left = roundsLeft(budget);
  const work = (then: string, label = '') =>
    resumable === undefined
      ? []
      : [
          `${label}NEW WORK: if the steer asks for something that needs another tool or a program, ${then} react.plan (${planning}). From then on, also later in the same reply, all tools run, and ${resumable} more ${resumable === 1 ? 'round is' : 'rounds are'} left.`,
        ];
  if (left === 1) {
    const last = 'PHASE finalize: this is the last round that the latest steer leaves this turn.';
    return [last, ending, ...work('do not end the turn but call')];
  }
  const end =
    'Do what the steer asks for, drop what it makes pointless, and end the turn when that is done, at the latest in the last of these rounds.';
  const phase = `PHASE finalize: the latest steer leaves this turn ${left} rounds, this one included.`;
  const limit = 'Only react.* tools run; a call of any other tool is refused.';
  if (resumable === undefined) return [`${phase} ${limit}`, end];
  return [`${phase} Do one of two:`, `(a) ${limit} ${end}`, ...work('your next call is', '(b) ')];
}

/** Includes the round that this prompt starts, even if it exceeds the budget. */
function roundsLeft({ used, total }: AnnounceInputs['budget']): number {
  return Math.max(1, total - used);
}

function span(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} m ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** `resultCharsMax` as separate words. */
function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
