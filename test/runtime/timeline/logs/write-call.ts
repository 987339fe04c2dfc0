import { isJsonObject, type Json } from '../../../../runtime/base/json.ts';
import type { Draft } from '../../../../runtime/timeline/block.ts';
import type { CallId, TurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { cacheBreak } from '../../../../runtime/timeline/render/cache-break.ts';
import type { CallScript } from './log-scripts.ts';
import type { LogWriter } from './log-writer.ts';
import { takenFrom } from './taken.ts';

type CallPlace = { readonly turn: TurnId; readonly call: CallId; readonly notes: string };

/** A call as an engine would have written it: notes, program, call, what it leaves, result. */
export function writeCall(log: LogWriter, place: CallPlace, script: CallScript): void {
  const { turn, call: id, notes } = place;
  const { tool, input, effects, ok, text } = script;
  log.append({
    type: 'react.notes',
    turn,
    author: 'agent',
    call: id,
    text: notes,
    data: { stream: 's' },
  });
  if (script.program) {
    log.append({
      type: 'react.code',
      turn,
      author: 'agent',
      call: id,
      path: paths.code(turn, id),
      mime: 'text/x-python',
      text,
      data: { language: 'python', stream: 's' },
    });
  }
  log.append({
    type: 'react.tool.call',
    turn,
    author: 'agent',
    call: id,
    path: paths.call(turn, id),
    data: { tool, input: tool === 'react.read' ? wanted(log, input) : input, key: id, effects },
  });
  if (script.progress)
    log.append({
      type: 'react.tool.progress',
      turn,
      author: 'tool',
      call: id,
      text: 'half',
      data: { fraction: 0.5 },
    });
  log.append(...besides(log, place, script));
  const data = ok
    ? { ok, ret: { text } }
    : { ok, error: { code: 'tool_failed', message: text, retryable: false } };
  log.append({
    type: 'react.tool.result',
    turn,
    author: 'tool',
    call: id,
    path: paths.result(turn, id),
    text,
    data,
  });
}

/** A read is of what was hidden last, which was wanted after all; else of a skill. */
function wanted(log: LogWriter, input: CallScript['input']): Json {
  const hidden = log.blocks.findLast(({ type }) => type === 'view.hide');
  if (isJsonObject(hidden?.data)) return { paths: [hidden.data['path'] ?? ''] };
  return { ...input, paths: [`sk:town.lamps/${Object.keys(input).length}.md`] };
}

/** What a call leaves before its result: files, sources, plans, hides. */
function besides(
  log: LogWriter,
  { turn, call: id }: CallPlace,
  script: CallScript,
): readonly Draft[] {
  const drafts: Draft[] = [];
  if (script.file) {
    const data = { filename: 'out.csv', size: 12, visibility: 'external' };
    drafts.push({
      type: 'artifact.file',
      turn,
      author: 'tool',
      call: id,
      path: paths.file(turn, `outputs/${id}.csv`),
      mime: 'text/csv',
      blob: blobOf(id),
      data,
    });
  }
  if (script.source) {
    const sid = log.blocks.filter(({ type }) => type === 'source.row').length + 1;
    drafts.push({
      type: 'source.row',
      turn,
      author: 'tool',
      path: paths.source(sid),
      data: { sid, title: `Page ${sid}`, url: `https://a.test/${sid}`, text: script.text },
    });
  }
  if (script.switches) {
    const mode = id.length % 2 === 0 ? 'add' : 'set';
    const data = { agent: 'b/main', mode, groups: [`g${id.at(-1)}`], reason: 'react.tools' };
    drafts.push({ type: 'tools.visibility', turn, author: 'agent', call: id, data });
  }
  if (script.plan) drafts.push(plan(turn, id));
  const named = log.blocks.findLast(
    ({ type }) => type === 'react.tool.result' || type === 'user.attachment',
  );
  const target = named && takenFrom(log.blocks, named);
  if (script.hide && target?.path) {
    drafts.push(
      {
        type: 'view.hide',
        turn,
        author: 'agent',
        data: { path: target.path, replacement: 'not needed', cause: 'agent' },
      },
      cacheBreak({ turn, cause: 'hide' }),
    );
  }
  return drafts;
}

function plan(turn: TurnId, id: string): Draft {
  const at = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const plan_id = `plan:${turn}:${id}`;
  const data = {
    plan_id,
    steps: ['look', 'say'],
    status: { 1: 'done' },
    current: true,
    created_ts: at,
    last_ts: at,
    origin_turn_id: turn,
    last_turn_id: turn,
  };
  return { type: 'react.plan', turn, author: 'agent', path: paths.plan(turn, plan_id), data };
}

export function blobOf(name: string): { hash: string; size: number } {
  return { hash: `sha256:${name}`, size: 1_234 };
}
