import type { JsonObject } from '../../../base/json.ts';
import type { TurnView } from '../../../timeline/view.ts';
import { choiceOf } from '../../agent/turn-data.ts';
import { laneOf, recordingKey } from '../../background/recording-lanes.ts';
import { recordingDelayMs } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';

/**
 * The recording of a turn is enqueued before its first round, so that no end of the turn can lose it. It waits until the
 * turn is closed.
 */
export async function planRecording(session: WorkerSession): Promise<void> {
  await enqueue(session, session.turn, { tries: 0, delayMs: recordingDelayMs });
}

/** A turn that is to be recorded is closed: the recording need not wait any longer. Never rejects. */
export async function recordSoon(session: WorkerSession): Promise<void> {
  const turn = session.conversation.view.turns.at(-1);
  if (!turn?.closed || !turn.blocks.some(({ type }) => type === 'memory.recalled')) return;
  try {
    await enqueue(session, turn, { tries: -1, delayMs: 0 });
  } catch (error) {
    session.engine.log.warn('a recording was not brought forward', { turn: turn.id, error });
  }
}

async function enqueue(
  { engine, conversation }: WorkerSession,
  turn: TurnView,
  { tries, delayMs }: { tries: number; delayMs: number },
): Promise<void> {
  const { tenant, project, user, id } = conversation.lease.row;
  const { bundle, agent } = choiceOf(turn);
  const input: JsonObject = {
    ...{ tenant, project, user, conversation: id, turn: turn.id, after: turn.openSeq - 1, tries },
    ...(bundle === undefined ? {} : { bundle }),
    ...(agent === undefined ? {} : { agent }),
  };
  const key = recordingKey(turn.id, tries);
  await engine.background?.enqueue({ job: laneOf(id), key, input, delayMs });
}
