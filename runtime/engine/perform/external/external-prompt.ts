import { isJsonObject } from '../../../base/json.ts';
import type { Block } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { CallView, RoundView, TurnView, View } from '../../../timeline/view.ts';
import { fileName } from '../../../tools/files/file-path.ts';
import { agentPaths } from '../../ports/agent-sandbox.ts';
import type { ExternalPrompt } from '../../ports/external-agent.ts';
import { unansweredIn } from '../ask/round-opening.ts';
import { externalHistoryCharsMax, externalHistoryTurnsMax } from './limits.ts';
import { undeliveredDecision } from './undelivered-decisions.ts';

type Reader = {
  /** The program remembers the turns and rounds before. */
  readonly isResumed: boolean;
};

/** The message to an agent program: what has arrived since its last round, and what it cannot remember. */
export function externalPrompt(view: View, turn: TurnView, { isResumed }: Reader): ExternalPrompt {
  const last = turn.rounds.findLast(isDelivered);
  const since = isResumed ? (last?.asOf ?? 0) : 0;
  const left = last ? [] : unansweredIn(view.turns.at(-2));
  const events = [...left, ...turn.events.filter(({ seq }) => seq > since)];
  const stopped = last && isUnfinished(last) ? stoppedText(last, isResumed) : '';
  const history = isResumed ? '' : historyText(view, turn);
  const parts = [history, stopped, ...events.map(eventText)].filter((part) => part !== '');
  const text = parts.length > 0 ? parts.join('\n\n') : 'Continue.';
  return { text, files: events.flatMap(attachmentOf) };
}

/** The program has read the prompt of the round: it has done something since. */
function isDelivered({ modelCall, blocks }: RoundView): boolean {
  return modelCall !== undefined || blocks.some(({ author }) => author === 'agent');
}

/** The round ended although neither its program nor a user ended it. */
function isUnfinished({ modelCall }: RoundView): boolean {
  return modelCall === undefined;
}

function eventText(event: Block): string {
  const text = (event.text ?? '').trim();
  const payload = isJsonObject(event.data) ? event.data['payload'] : undefined;
  const said = [text, ...(payload === undefined ? [] : [JSON.stringify(payload)])]
    .join('\n')
    .trim();
  if (event.type === 'user.attachment')
    return `The user sent a file: ${agentPaths.inputs}/${nameOf(event)}`;
  if (said === '' || event.type === 'user.prompt') return said;
  if (event.type === 'external.steer') return `The user interrupted you:\n${said}`;
  if (event.type === 'external.followup') return said;
  return `${event.type.slice('external.'.length)}:\n${said}`;
}

function attachmentOf(event: Block): ExternalPrompt['files'] {
  return event.type === 'user.attachment' && event.blob
    ? [{ name: nameOf(event), blob: event.blob }]
    : [];
}

function nameOf(event: Block): string {
  const stated = dataOf('user.attachment', event)?.filename ?? '';
  return fileName(stated === '' ? (event.path ?? 'file') : stated);
}

function stoppedText({ calls }: RoundView, isResumed: boolean): string {
  const begun = isResumed
    ? 'Your process was stopped while you worked on this, and started again with your session.'
    : 'Another process worked on this and was stopped; its session is lost. Look at the workspace first.';
  const doubts = calls.filter(isUnknown).map(callLine);
  const decisions = calls.flatMap((call) => decisionLine(call) ?? []);
  return [
    begun,
    ...(doubts.length > 0 ? ['It is not known whether these took effect; check first:'] : []),
    ...doubts,
    ...decisions,
    'Continue where you were.',
  ].join('\n');
}

function isUnknown({ result }: CallView): boolean {
  const error = result && dataOf('react.tool.result', result)?.error;
  return error?.code === 'interrupted';
}

function callLine({ tool, request }: CallView): string {
  const { input = {} } = dataOf('react.tool.call', request) ?? {};
  return `- ${tool} ${JSON.stringify(input).slice(0, externalHistoryCharsMax)}`;
}

function decisionLine(call: CallView): string | undefined {
  const decision = undeliveredDecision(call);
  if (decision === undefined) return undefined;
  return `The user has ${decision ? 'allowed' : 'refused'} this in the meantime:\n${callLine(call)}`;
}

/** The conversation so far, for a program that has no session of it. */
function historyText(view: View, turn: TurnView): string {
  const earlier = view.turns.filter(({ id }) => id !== turn.id).slice(-externalHistoryTurnsMax);
  const lines = earlier.flatMap(({ events, completions }) => [
    ...events.filter(({ text = '' }) => text !== '').map(({ text }) => `User: ${cut(text)}`),
    ...completions.slice(-1).map(({ text }) => `Assistant: ${cut(text)}`),
  ]);
  return lines.length === 0 ? '' : ['The conversation so far:', ...lines, '', 'Now:'].join('\n');
}

function cut(text = ''): string {
  return text.length <= externalHistoryCharsMax
    ? text
    : `${text.slice(0, externalHistoryCharsMax).toWellFormed()}…`;
}
