import type { Context } from 'hono';
import { afterBlock } from '../../feed/cursor.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { streamFrames } from '../../http/frame-stream.ts';
import { langgraphThread, streamModes } from '../../projections/langgraph/langgraph.ts';
import { sentUpTo } from '../../projections/resume-point.ts';
import { resumePointOf, turnSource } from '../turn-stream.ts';
import { modesOf } from './run-request.ts';
import { findThread, readState } from './thread.ts';

/** Every run of a thread, one after the other: from the start of the open one, or after an event. It ends with its connection. */
export async function streamThread(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const row = await findThread(context, parts);
  const last = context.req.header('last-event-id');
  const isNew = last === undefined || last === '-' || last === '-1';
  const isIdle = isNew && row.openTurn === undefined;
  const after = isIdle
    ? sentUpTo(afterBlock(row.head, row.windowSeq))
    : await resumePointOf(row, isNew ? undefined : last, parts);
  const named = modesOf(context.req.queries('stream_mode') ?? []);
  // A client that names no mode of ours asks for those of the runs.
  const modes =
    context.req.queries('stream_mode') === undefined || named.length === 0 ? streamModes : named;
  const before = (await readState(row, parts, Math.max(0, after.position.since - 1))).values;
  const kind = langgraphThread({ modes, before });
  const source = turnSource(context, parts, { row, after, kind });
  const { start, take, caughtUp } = source;
  return streamFrames(context, parts, { row, start, take, ...(caughtUp ? { caughtUp } : {}) });
}
