import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { Block, Draft } from '../../../../runtime/timeline/block.ts';
import { noTurn, type TurnId, toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths, toBlockPath } from '../../../../runtime/timeline/paths.ts';
import type {
  AsideScript,
  EventScript,
  FileScript,
  RoundScript,
  TurnScript,
} from './log-scripts.ts';
import { LogWriter } from './log-writer.ts';
import { blobOf, writeCall } from './write-call.ts';

/** What an engine does to a log before it asks a model: it prunes, compacts, declares what has changed. */
export type BeforeRound = (log: LogWriter, turn: TurnId) => void;

/** The legal log of a script: what an engine and its store would have written. `opened`: what every round records. */
export function writeLog(
  turns: readonly TurnScript[],
  before: BeforeRound = () => undefined,
  opened: JsonObject = {},
): readonly Block[] {
  const log = new LogWriter();
  turns.forEach((script, index) => {
    writeTurn(log, toTurnId(`turn_${index + 1}`), { script, before, opened });
  });
  return log.blocks;
}

type Telling = {
  readonly script: TurnScript;
  readonly before: BeforeRound;
  readonly opened: JsonObject;
};

function writeTurn(log: LogWriter, turn: TurnId, { script, before, opened }: Telling): void {
  log.append(
    { type: 'turn.open', turn, author: 'system', data: { bundle: 'b', agent: 'main', text: '' } },
    {
      type: 'user.prompt',
      turn,
      author: 'user',
      path: paths.prompt(turn),
      event: `msg_${turn}`,
      text: script.prompt,
    },
    ...script.files.map((each, n) =>
      attachment(each, { turn, event: `msg_${turn}`, path: paths.attachment(turn, `f${n}`) }),
    ),
  );
  for (const [index, each] of script.rounds.entries()) {
    if (each.chosen) log.append(chosenTools(turn, index + 1));
    before(log, turn);
    writeRound(log, { turn, number: index + 1, script: each, opened });
  }
  const files = log.blocks
    .filter((each) => each.turn === turn && each.type === 'artifact.file')
    .map(({ path = '' }) => ({ path }));
  const { reason } = script;
  const error =
    reason === 'failed' ? { error: { code: 'MODEL_UNREACHABLE', message: 'no answer' } } : {};
  log.append({ type: 'turn.close', turn, author: 'system', data: { reason, files, ...error } });
  if (script.feedback) log.append(feedbackOn(turn));
  for (const each of script.between) writeEvent(log, noTurn, each);
}

/** As the store takes it in between turns: it belongs to none. */
export function feedbackOn(turn: TurnId, reaction: string | null = 'not_ok', text = 'No.'): Draft {
  const data = { turn_id: turn, reaction, origin: 'user' };
  return { type: 'feedback', turn: noTurn, author: 'user', path: paths.feedback(turn), text, data };
}

type RoundPlace = {
  readonly turn: TurnId;
  readonly number: number;
  readonly script: RoundScript;
  readonly opened: JsonObject;
};

function writeRound(log: LogWriter, { turn, number, script, opened }: RoundPlace): void {
  const asOf = log.head;
  for (const each of script.early) writeEvent(log, turn, each);
  log.append(
    {
      type: 'round.open',
      turn,
      author: 'system',
      data: {
        ...{ round: number, as_of: asOf, phase: 'decision', ...opened },
        ...(script.remade ? { shown_tools: { agent: 'b/main', tools: [`math.t${number}`] } } : {}),
      },
    },
    {
      type: 'react.thinking',
      turn,
      author: 'agent',
      text: script.thinking,
      data: { stream: `${turn}.${number}.thinking.0`, instance: 0 },
    },
    ...script.asides.map((each, n) => writeAside(log, each, { turn, number, n })),
    {
      type: 'model.call',
      turn,
      author: 'system',
      data: {
        model: 'scripted:test',
        actions: [],
        ...(script.carry
          ? { carry: { family: 'scripted:test', blob: blobOf(`${turn}.${number}`) } }
          : {}),
      },
    },
  );
  script.calls.forEach((each, index) => {
    writeCall(
      log,
      { turn, call: toCallId(`tc_${turn}_${number}_${index}`), notes: script.notes },
      each,
    );
    const late = script.during[index];
    if (late) writeEvent(log, turn, late);
  });
  if (script.unknown)
    log.append({
      type: 'future.thing',
      turn,
      author: 'agent',
      path: toBlockPath(`ar:${turn}.future.thing`),
      text: 'from later',
    });
  if (script.violation) log.append(notice(log, turn));
  if (script.answer !== undefined) log.append(...answer(log, turn, script.answer));
  const outcome = outcomeOf(script);
  log.append({ type: 'round.close', turn, author: 'system', data: { round: number, outcome } });
}

function outcomeOf({ interrupted, violation, answer }: RoundScript): string {
  if (interrupted) return 'interrupted';
  if (violation) return 'violation';
  return answer === undefined ? 'acted' : 'answered';
}

type AsidePlace = { readonly turn: TurnId; readonly number: number; readonly n: number };

/** What belongs to no call, or to one that was never performed. */
function writeAside(
  log: LogWriter,
  { kind, text }: AsideScript,
  { turn, number, n }: AsidePlace,
): Draft {
  const data = {
    stream: `${turn}.${number}.${kind}.${n}`,
    language: 'python',
    name: `board${n}.md`,
  };
  const notes = log.blocks.filter((each) => each.type === 'react.note').length + n + 1;
  const call = toCallId(`tc_${turn}_${number}_never${n}`);
  const more = {
    timeline_text: {},
    'react.note': { path: paths.note(turn, notes) },
    canvas: { path: paths.canvas(turn, `board${n}.md`), mime: 'text/markdown' },
    'react.notes': { call },
    'react.code': { call, path: paths.code(turn, call), mime: 'text/x-python' },
  }[kind];
  return { type: kind, turn, author: 'agent', text, data, ...more };
}

function chosenTools(turn: TurnId, number: number): Draft {
  const id = `math.t${number}`;
  const data = { agent: 'b/main', mode: 'set', tools: [id], reason: 'selection', described: [id] };
  const text = `### ${id}\nDoes something.`;
  return { type: 'tools.visibility', turn, author: 'system', text, data };
}

function notice(log: LogWriter, turn: TurnId): Draft {
  const n =
    log.blocks.filter((each) => each.turn === turn && each.type === 'react.notice').length + 1;
  return {
    type: 'react.notice',
    turn,
    author: 'system',
    path: paths.notice(turn, n),
    text: 'mend this',
    data: { code: 'protocol_violation.invalid_action' },
  };
}

function answer(log: LogWriter, turn: TurnId, text: string): readonly Draft[] {
  const n =
    log.blocks.filter((each) => each.turn === turn && each.type === 'assistant.completion').length +
    1;
  return [
    {
      type: 'assistant.completion',
      turn,
      author: 'agent',
      path: paths.completion(turn, n),
      text,
      data: { stream: 's', n, degraded: false, sources_used: [] },
    },
    {
      type: 'conv.working.summary',
      turn,
      author: 'agent',
      path: paths.summary(turn, n),
      text: `Goal: ${text}`,
      data: {},
    },
  ];
}

function writeEvent(log: LogWriter, turn: TurnId, { kind, text, files }: EventScript): void {
  const message = `msg_${log.head}`;
  log.append(
    {
      type: `external.${kind}`,
      turn,
      author: kind === 'form' ? 'world' : 'user',
      path: paths.external(turn, kind, message),
      event: message,
      text,
      data: {},
    },
    ...files.map((each, n) =>
      attachment(each, {
        turn,
        event: message,
        path: paths.externalAttachment(turn, kind, `${message}/f${n}`),
      }),
    ),
  );
}

type FilePlace = { readonly turn: TurnId; readonly event: string; readonly path: string };

function attachment({ mime, text }: FileScript, { turn, event: of, path }: FilePlace): Draft {
  const data = { filename: path.split('/').at(-1) ?? '', size: 1_234 };
  return {
    type: 'user.attachment',
    turn,
    author: 'user',
    path: toBlockPath(path),
    event: of,
    mime,
    blob: blobOf(path),
    data,
    ...(mime === 'text/csv' ? { text } : {}),
  };
}
