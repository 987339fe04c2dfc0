import { Refusal } from '../../base/refusal.ts';
import { type CallId, type TurnId, toStreamName } from '../../timeline/ids.ts';
import { paths } from '../../timeline/paths.ts';
import {
  canvasesPerCallMax,
  liveCharsMax,
  livePiecesPerCallMax,
  progressCharsMax,
  progressPerCallMax,
} from '../limits.ts';
import type { TurnServices } from '../ports/call-services.ts';
import type { PublishLive } from '../ports/live.ts';
import { cutText, grouped } from '../text/cut-text.ts';
import { canvasProblem } from './canvas-facts.ts';
import { openCanvas } from './canvas-writer.ts';
import type { DraftCollector } from './draft-collector.ts';

type Parts = {
  readonly collector: DraftCollector;
  readonly publish: PublishLive;
  readonly turn: TurnId;
  readonly round: number;
  readonly call: CallId;
  readonly shown?: { readonly call: CallId; readonly id?: string };
};

/** Over the limit, pieces are dropped with one notice. It never throws: work must not be lost because it is not shown. */
export function limitedPublish(publish: PublishLive, collector: DraftCollector): PublishLive {
  let left = livePiecesPerCallMax;
  return (piece) => {
    const chars = piece.kind === 'live' ? JSON.stringify(piece.data).length : 0;
    left -= 1;
    if (left >= 0 && chars <= liveCharsMax) publish(piece);
    else {
      const limits = `${grouped(livePiecesPerCallMax)} pieces a call and ${grouped(liveCharsMax)} characters a piece`;
      collector.notice('live_limit', `Some live output was dropped: the limits are ${limits}.`);
    }
  };
}

/** The services that show a call while it runs. */
export function liveServices({
  collector,
  publish,
  turn,
  round,
  call,
  shown: place = { call },
}: Parts): Pick<TurnServices, 'progress' | 'emit' | 'canvas'> {
  let canvases = 0;
  let steps = 0;
  return {
    progress: ({ text, fraction, data, append }) => {
      collector.assertOpen();
      steps += 1;
      const shown =
        text === undefined ? {} : { text: cutText(text.toWellFormed(), progressCharsMax) };
      // The block of a step replaces its frame, so clients never show the same step twice.
      const facts = {
        n: steps,
        ...(fraction === undefined ? {} : { fraction }),
        ...(data === undefined ? {} : { data }),
        ...(append ? { append } : {}),
      };
      publish({ kind: 'live', type: 'chat.tool.progress', data: { ...place, ...shown, ...facts } });
      if (collector.count('react.tool.progress') < progressPerCallMax) {
        collector.add({ type: 'react.tool.progress', author: 'tool', ...shown, data: facts });
      } else {
        collector.notice('progress_limit', `Only ${progressPerCallMax} progress steps are kept.`);
      }
    },
    emit: (type, data) => {
      collector.assertOpen();
      publish({ kind: 'live', type, data });
    },
    canvas: (name, options) => {
      collector.assertOpen();
      canvases += 1;
      if (canvases > canvasesPerCallMax) {
        throw new Refusal('too_many', `A call can open at most ${canvasesPerCallMax} canvases.`);
      }
      const problem = canvasProblem({ ...options, name });
      if (problem !== undefined) {
        throw new Refusal('invalid_canvas', `The canvas cannot be opened: ${problem}.`);
      }
      const stream = toStreamName(`${turn}.${round}.canvas.${call}.${canvases}`);
      const path = paths.canvas(turn, name);
      return openCanvas(
        { ...options, name, stream, path, instance: canvases },
        { collector, publish },
      );
    },
  };
}
