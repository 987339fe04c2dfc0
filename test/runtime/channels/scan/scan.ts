import type { ChannelEvent, ChannelSpec } from '../../../../runtime/channels/protocol/channel.ts';
import { createScanner } from '../../../../runtime/channels/scan/scanner.ts';

/** Everything a scanner reports of an output that comes in one piece. */
export function scan(whole: string, channels?: readonly ChannelSpec[]): ChannelEvent[] {
  const scanner = createScanner(channels === undefined ? {} : { channels });
  return [...scanner.push(whole), ...scanner.end()];
}
