import type { ChannelInstance } from '../../channels/reply/reply.ts';
import { paths } from '../../timeline/paths.ts';
import { canvasProblem } from '../../tools/services/canvas-facts.ts';
import { type RoundPlace, streamName } from '../live/live-stream.ts';
import type { ReplyProblem } from './accept-actions.ts';

export function isValidCanvas({ attributes }: Pick<ChannelInstance, 'attributes'>): boolean {
  return canvasProblem(attributes) === undefined;
}

/** The fields of a canvas block besides its text. */
export function canvasPart(
  { attributes, instance, channel }: ChannelInstance,
  place: RoundPlace,
): object {
  const name = attributes['name'] ?? `canvas-${place.round}-${instance}`;
  const stream = streamName(place, channel, instance);
  const title = attributes['title'] === undefined ? {} : { title: attributes['title'] };
  return {
    path: paths.canvas(place.turn, name),
    mime: attributes['mime'] ?? 'text/markdown',
    data: { stream, name, ...title },
  };
}

/** Notices to the model about canvases that were neither shown nor kept. */
export function refusedCanvases(canvases: readonly ChannelInstance[]): readonly ReplyProblem[] {
  return canvases.flatMap(({ attributes, instance }) => {
    const problem = canvasProblem(attributes);
    if (problem === undefined) return [];
    const message = `A canvas was neither shown nor kept: ${problem}. Write it again with <channel:canvas name="board.md" mime="text/markdown" title="TITLE">.`;
    return [{ code: 'invalid_canvas', message, detail: { instance } }];
  });
}
