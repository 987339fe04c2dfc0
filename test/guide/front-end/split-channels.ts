import { createScanner } from 'timeloom/channels';

export type ChannelText = { readonly channel: string; readonly text: string };

/** The text of each channel, while a model writes. `output`: pieces of its reply, cut anywhere. */
export async function* splitChannels(output: AsyncIterable<string>): AsyncGenerator<ChannelText> {
  const scanner = createScanner({
    channels: [
      { name: 'thinking', format: 'markdown' },
      { name: 'risk', aliases: ['risks'], format: 'markdown' },
    ],
  });
  for await (const piece of output) {
    for (const event of scanner.push(piece)) if (event.kind === 'text') yield event;
  }
  for (const event of scanner.end()) if (event.kind === 'text') yield event;
}
