import { channel, toCanvas } from './channel-text.ts';
import type { PastReply } from './past-reply.ts';

/**
 * The text of a reply of `native-tools`, beside its calls: remarks and the answer as they are, the rest in channels.
 */
export function toPlainText(reply: PastReply): string {
  const { thinking, texts, calls, canvases, answers, summaries } = reply;
  const notes = calls.map((each) => each.notes).filter((each) => each.trim() !== '');
  const followups = answers.flatMap((answer) => answer.followups);
  return [
    ...thinking.map((text) => channel('thinking', text)),
    ...texts.map((each) =>
      each.channel === 'timeline_text' ? each.text : channel(each.channel, each.text),
    ),
    ...answers.flatMap(({ text, output }) => [
      text,
      output === undefined ? '' : JSON.stringify(output),
    ]),
    ...(notes.length > 0 ? [channel('notes', notes.join('\n'))] : []),
    ...canvases.map(toCanvas),
    ...(followups.length > 0 ? [channel('followups', followups.join('\n'))] : []),
    ...summaries.map((each) => channel('summary', each)),
  ]
    .filter((each) => each.trim() !== '')
    .join('\n\n');
}
