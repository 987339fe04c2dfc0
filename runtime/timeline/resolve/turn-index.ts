import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { deliveredMark, isDelivered } from '../catalogue/delivered.ts';
import { indexHintCharsMax, indexInputCharsMax, indexRowsMax } from '../limits.ts';
import { paths } from '../paths.ts';
import { interruptionText, oddOutcome } from '../render/reading-order.ts';
import { remarksIn } from '../render/said.ts';
import { brief } from '../render/text.ts';
import { type ShortNames, shortNames } from '../short-names.ts';
import type { CallView, RoundView, TurnView, View } from '../view.ts';

/** An index of the paths in a turn, for a reader who knows only the turn. */
export function turnIndex(view: View, turn: TurnView): string {
  const names = shortNames(view);
  const { hidden } = view;
  const row = (block: Block) => rowOf(block, names);
  const of = (...types: readonly string[]) =>
    newest(turn.blocks.filter(({ type }) => types.includes(type)));
  const sections = [
    section('summaries', turn.summary ? [row(turn.summary)] : []),
    section('messages', of('user.prompt', 'assistant.completion').map(row)),
    section('events', turn.events.filter(({ type }) => type.startsWith('external.')).map(row)),
    section(
      'tools',
      turn.rounds.flatMap(({ calls }) => calls.map((call) => callRow(call, { names, hidden }))),
    ),
    section('said beside the calls', turn.rounds.flatMap(saidRow)),
    section('interrupted rounds', turn.rounds.filter(isInterrupted).map(interruptedRow)),
    section('artifacts', of('user.attachment', 'artifact.file', 'canvas', 'react.code').map(row)),
    section('notes', of('react.note').map(row)),
    section('sources', of('source.row').map(row)),
  ];
  return [
    `TURN INDEX ${names.turn(turn.id)} (${stateOf(turn)})`,
    ...sections.filter((text) => text !== ''),
    '',
  ].join('\n');
}

function stateOf({ closed, events }: TurnView): string {
  const state = closed ? `closed: ${closed.reason}` : 'open';
  return events.some(({ type }) => type === 'external.steer') ? `${state}, steered` : state;
}

/** The newest block of each path, in the order in which the paths first appear. */
function newest(blocks: readonly Block[]): readonly Block[] {
  return [...new Map(blocks.map((block) => [block.path, block])).values()];
}

function section(name: string, rows: readonly string[]): string {
  const left = rows.length - indexRowsMax;
  const more = left > 0 ? [`- … ${left} more`] : [];
  return rows.length === 0
    ? ''
    : [`## ${name}`, ...rows.slice(0, indexRowsMax), ...more].join('\n');
}

function rowOf(block: Block, names: ShortNames): string {
  const hint = brief(block.text ?? titleOf(block), indexHintCharsMax);
  const facts = [block.mime, ownerOf(block)].filter((fact) => fact !== undefined);
  return ['-', names.path(block.path ?? ''), ...facts.map((fact) => `(${fact})`), hint]
    .filter((part) => part !== '')
    .join(' ');
}

/** Who has a file that the agent made. */
function ownerOf(block: Block): string | undefined {
  if (block.type !== 'artifact.file') return undefined;
  return isDelivered(block) ? deliveredMark : dataOf('artifact.file', block)?.visibility;
}

function titleOf(block: Block): string {
  const source = block.type === 'source.row' ? dataOf('source.row', block) : undefined;
  if (source) return `${source.title} ${source.url}`;
  const file = block.type === 'artifact.file' ? dataOf('artifact.file', block) : undefined;
  return file?.description ?? file?.filename ?? '';
}

type Naming = Pick<View, 'hidden'> & { readonly names: ShortNames };

function callRow({ call, tool, request, result }: CallView, { names, hidden }: Naming): string {
  const answer = result ? dataOf('react.tool.result', result) : undefined;
  const state = answer ? (answer.ok ? 'ok' : `error ${answer.error?.code ?? ''}`) : 'no result yet';
  const textOf = (block: Block | undefined, text: string, charsMax: number) =>
    brief((block?.path && hidden.get(block.path)) ?? text, charsMax);
  const { input = {} } = dataOf('react.tool.call', request) ?? {};
  const path = names.path(paths.result(request.turn, call));
  const parts = [
    textOf(request, JSON.stringify(input), indexInputCharsMax),
    `(${state})`,
    textOf(result, result?.text ?? '', indexHintCharsMax),
  ];
  return `- ${path} ${tool} ${parts.join(' ')}`.trimEnd();
}

/** What the agent said in a round has no path of its own. */
function saidRow(round: RoundView): readonly string[] {
  const said = remarksIn(round);
  return said === '' ? [] : [`round ${round.number}: ${brief(said, indexHintCharsMax)}`];
}

function isInterrupted(round: RoundView): boolean {
  return round.closed && oddOutcome(round) === 'interrupted';
}

function interruptedRow(round: RoundView): string {
  return `round ${round.number}: ${interruptionText(round)}`;
}
