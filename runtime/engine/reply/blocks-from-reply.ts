import {
  type AcceptedAction,
  type ReplyReading,
  type ReplyRules,
  readReply,
} from '../../channels/reply/read-reply.ts';
import type { ChannelInstance, ParsedReply } from '../../channels/reply/reply.ts';
import type { BlobRef, Draft } from '../../timeline/block.ts';
import { paths } from '../../timeline/paths.ts';
import type { TurnView } from '../../timeline/view.ts';
import type { ReplyContext } from '../agent/reply-context.ts';
import { type RoundPlace, streamName } from '../live/live-stream.ts';
import { toWireFailed, toWireUsage } from '../model/usage.ts';
import { type Action, toRecordedActions } from '../plan/actions.ts';
import { checkOutputs, fallbackAnswer, nextCall, toAction } from './accept-actions.ts';
import { canvasPart, isValidCanvas } from './canvases.ts';
import type { GeneratedReply } from './generated-reply.ts';
import { replyNotices } from './reply-notices.ts';

export type Carry = { readonly family: string; readonly blob: BlobRef };

type ReplyInput = {
  readonly generated: GeneratedReply;
  /** The raw reply, stored outside the log. */
  readonly reply: BlobRef | undefined;
  /** Reasoning that goes back to models of the same family, stored outside the log. */
  readonly carry?: Carry | undefined;
  readonly rules: ReplyRules;
  readonly round: number;
  /** No further round will follow: prose is accepted as the answer. */
  readonly last: boolean;
  /** False for a log of a version that kept neither notes nor calls of an interrupted reply. */
  readonly keepsShown: boolean;
};

/** The blocks of one generation: its texts, the accepted decisions, and its violations. One append. */
export function blocksFromReply(
  context: ReplyContext,
  { generated, reply, carry, rules, round, last, keepsShown }: ReplyInput,
): readonly Draft[] {
  const { turn } = context;
  const place = { turn: turn.id, round };
  const { packet } = generated;
  const stopped = generated.finish === 'interrupted';
  const cut = keepsShown ? completeCalls(packet, rules) : nothingAccepted;
  const reading = stopped ? cut : readReply(packet, rulesFor(rules, generated));
  const outputs = checkOutputs(context, reading);
  const accepted = outputs.actions.map((action) => ({ action, call: nextCall(context.engine) }));
  const violations = [...reading.violations, ...outputs.violations];
  const actions = accepted.map(({ action, call }) =>
    toAction(action, { call, place, summary: reading.summary, generated }),
  );
  const fallback =
    accepted.length === 0 && !stopped
      ? fallbackAnswer(context, { generated, place, violations, last })
      : undefined;
  const notices = replyNotices(turn, { generated, reading, violations });
  return [
    ...textBlocks(packet, { place, stopped, nextNote: () => context.ledger.nextNote() }),
    ...(keepsShown ? orphanNotes(generated, { place, stopped, reading }) : []),
    ...accepted.flatMap(({ action, call }) => decisionBlocks(context, { action, call, place })),
    ...notices,
    ...(stopped ? interruptedAnswers(turn, { generated, place }) : []),
    modelCall(
      turn,
      { generated, reply, carry, last },
      fallback?.action ? [fallback.action] : actions,
    ),
    ...(accepted.length === 0 && !fallback?.action
      ? [unusableRoundClose(turn, { round, stopped, error: fallback?.error })]
      : []),
  ];
}

const nothingAccepted: ReplyReading = { actions: [], violations: [], notices: [] };

/** Calls that were complete before a steer: they do not run, and the log records that. */
function completeCalls(packet: ParsedReply, rules: ReplyRules): ReplyReading {
  const isWhole = ({ how }: ChannelInstance) => how !== 'end';
  const decisions = packet.decisions.filter(isWhole);
  const codes = packet.codes.filter(isWhole);
  const { actions } = readReply({ ...packet, decisions, codes }, rules);
  const calls = actions.filter(({ decision }) => decision.action === 'call_tool');
  return { ...nothingAccepted, actions: calls };
}

type NoteContext = {
  readonly place: RoundPlace;
  readonly stopped: boolean;
  readonly reading: ReplyReading;
};

/** Notes that people have seen of decisions that were not accepted. */
function orphanNotes(
  { notes }: GeneratedReply,
  { place, stopped, reading }: NoteContext,
): readonly Draft[] {
  const kept = new Set(reading.actions.map(({ instance }) => instance));
  return [...notes]
    .filter(([instance, text]) => !kept.has(instance) && text.trim() !== '')
    .map(([instance, text]) => ({
      type: 'react.notes',
      turn: place.turn,
      author: 'agent',
      text,
      data: { stream: streamName(place, 'notes', instance) },
      ...(stopped ? { meta: { interrupted: true } } : {}),
    }));
}

function rulesFor(rules: ReplyRules, { finish, answers }: GeneratedReply) {
  return finish === 'interrupted' ? { ...rules, answers } : { ...rules, finish, answers };
}

type TextContext = {
  readonly place: RoundPlace;
  readonly stopped: boolean;
  readonly nextNote: () => number;
};

/** Thinking, timeline texts, canvases and internal notes: kept as written, whatever happens to the decision. */
function textBlocks(
  packet: ParsedReply,
  { place, stopped, nextNote }: TextContext,
): readonly Draft[] {
  const meta = stopped ? { meta: { interrupted: true } } : {};
  const block = (
    type: string,
    { instance, channel, text, as }: ChannelInstance,
    more: object = {},
  ): Draft => ({
    type,
    turn: place.turn,
    author: 'agent',
    text,
    data: {
      stream: streamName(place, channel, instance),
      instance,
      ...(as === 'reasoning' ? { reasoning: true } : {}),
    },
    ...more,
    ...meta,
  });
  return [
    ...packet.thinking.map((each) => block('react.thinking', each)),
    ...packet.timelineTexts.map((each) => block('timeline_text', each)),
    ...packet.others.map((each) => block('timeline_text', each)),
    ...packet.canvases
      .filter(isValidCanvas)
      .map((each) => block('canvas', each, canvasPart(each, place))),
    ...packet.internals.map((each) =>
      block('react.note', each, { path: paths.note(place.turn, nextNote()) }),
    ),
  ];
}

type AcceptedDecision = {
  readonly action: AcceptedAction;
  readonly call: Action['call'];
  readonly place: RoundPlace;
};

/** Notes are shown to the user; the program is stored with its call. */
function decisionBlocks(
  context: ReplyContext,
  { action, call, place }: AcceptedDecision,
): readonly Draft[] {
  const { decision, instance, code, declined } = action;
  const drafts: Draft[] = [];
  const { notes } = decision;
  // Notes say what the agent does; a declined call does nothing.
  if (decision.action === 'call_tool' && notes.trim() !== '' && declined === undefined) {
    const data = { stream: streamName(place, 'notes', instance) };
    drafts.push({
      type: 'react.notes',
      turn: place.turn,
      author: 'agent',
      call,
      text: notes,
      data,
    });
  }
  if (code && decision.action === 'call_tool') {
    drafts.push(programBlock(context, { call, place, code, tool: decision.tool_call.tool_id }));
  }
  return drafts;
}

type ProgramOptions = {
  call: Action['call'];
  place: RoundPlace;
  tool: string;
  code: NonNullable<AcceptedAction['code']>;
};

function programBlock(context: ReplyContext, { call, place, code, tool }: ProgramOptions): Draft {
  const language =
    context.agent.tools.find(({ spec }) => spec.id === tool)?.spec.language ?? 'python';
  return {
    type: 'react.code',
    turn: place.turn,
    author: 'agent',
    call,
    path: paths.code(place.turn, call),
    mime: language === 'python' ? 'text/x-python' : 'text/javascript',
    text: code.text,
    data: { language, stream: streamName(place, 'code', code.instance) },
  };
}

function modelCall(
  turn: TurnView,
  { generated, reply, carry, last }: Pick<ReplyInput, 'generated' | 'reply' | 'carry' | 'last'>,
  actions: readonly Action[],
): Draft {
  const { model, finish, usage, costUsd, estimated, ms, firstTokenMs, isPieceLog } = generated;
  const failed = toWireFailed(generated.insteadOf);
  return {
    type: 'model.call',
    turn: turn.id,
    author: 'system',
    ...(reply ? { blob: reply } : {}),
    data: {
      model,
      role: 'decision',
      finish,
      usage: toWireUsage(usage, costUsd),
      cost_usd: costUsd,
      ...(estimated ? { estimated } : {}),
      ...failed,
      ms,
      ...(last ? { last } : {}),
      ...(reply && isPieceLog ? { pieces: true } : {}),
      ...(carry ? { carry } : {}),
      ...(firstTokenMs === undefined ? {} : { first_token_ms: firstTokenMs }),
      actions: toRecordedActions(actions),
    },
  };
}

type UnusableRound = {
  readonly round: number;
  readonly stopped: boolean;
  readonly error: { code: string; message: string } | undefined;
};

function unusableRoundClose(turn: TurnView, { round, stopped, error }: UnusableRound): Draft {
  const outcome = stopped ? 'interrupted' : error ? 'failed' : 'violation';
  return {
    type: 'round.close',
    turn: turn.id,
    author: 'system',
    data: { round, outcome, ...(error ? { error } : {}) },
  };
}

/** Answers that a steer interrupted but people have seen stay on the log, marked as interrupted. */
function interruptedAnswers(
  turn: TurnView,
  { generated, place }: { generated: GeneratedReply; place: RoundPlace },
): readonly Draft[] {
  return [...generated.answers]
    .filter(([, text]) => text.trim() !== '')
    .map(([instance, text], index) => ({
      type: 'assistant.completion',
      turn: turn.id,
      author: 'agent',
      path: paths.completion(turn.id, turn.completions.length + index + 1),
      mime: 'text/markdown',
      text,
      data: {
        stream: streamName(place, 'answer', instance),
        n: turn.completions.length + index + 1,
        degraded: false,
        sources_used: [],
      },
      meta: { interrupted: true },
    }));
}
