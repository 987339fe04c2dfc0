import type { StreamName } from '../../timeline/ids.ts';
import type { BlockPath } from '../../timeline/paths.ts';
import { canvasCharsMax } from '../limits.ts';
import type { CanvasWriter } from '../ports/call-services.ts';
import type { PublishLive } from '../ports/live.ts';
import { cutText, grouped } from '../text/cut-text.ts';
import type { DraftCollector } from './draft-collector.ts';

type CanvasOptions = {
  readonly name: string;
  readonly mime: string;
  readonly title?: string;
  readonly file?: string;
  /** Unique in the conversation. */
  readonly stream: StreamName;
  /** 1-based within its call. */
  readonly instance: number;
  readonly path: BlockPath;
};

/**
 * A page that grows at the client and becomes one `canvas` block when its writer closes it or the call ends. A surrogate
 * pair that is split across two writes is shown as one character.
 */
export function openCanvas(
  options: CanvasOptions,
  { collector, publish }: { collector: DraftCollector; publish: PublishLive },
): CanvasWriter {
  const { name, mime, title, file, stream, instance, path } = options;
  const about = { name, ...(title === undefined ? {} : { title }) };
  let text = '';
  let half = '';
  let closed = false;
  const show = (piece: string, completed: boolean) =>
    publish({
      kind: 'delta',
      channel: 'canvas',
      marker: 'canvas',
      instance,
      stream,
      text: piece,
      offset: text.length,
      completed,
      artifact: { ...about, mime },
    });
  const close = () => {
    if (closed) return;
    closed = true;
    show('', true);
    collector.add({
      type: 'canvas',
      author: 'tool',
      path,
      mime,
      text,
      data: { ...about, ...(file === undefined ? {} : { file }), stream },
    });
  };
  collector.onTake(close);
  return {
    write: (added) => {
      if (closed) return;
      const waiting = half + added;
      const whole = cutText(`${waiting} `, waiting.length);
      half = waiting.slice(whole.length);
      const piece = cutText(whole.toWellFormed(), canvasCharsMax - text.length);
      if (piece.length < whole.length) {
        collector.notice(
          'canvas_limit',
          `Canvas “${name}” ends at ${grouped(canvasCharsMax)} characters.`,
        );
      }
      if (piece === '') return;
      show(piece, false);
      text += piece;
    },
    close: async () => close(),
  };
}
