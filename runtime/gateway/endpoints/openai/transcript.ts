import { cutText } from '../../../tools/text/cut-text.ts';
import type { ChatMessageParam, ContentPart } from './chat-request.ts';
import { transcriptCharsMax } from './limits.ts';

/** Text of a message; files are named. */
export function textOfContent(content: string | readonly ContentPart[] | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(partText).join('\n');
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
    case 'input_text':
      return part.text;
    case 'refusal':
      return part.refusal;
    case 'image_url':
      return '(an image)';
    case 'file':
      return `(the file ${part.file.filename ?? part.file.file_id ?? 'without a name'})`;
  }
}

/** The messages before the last one as one text. Of a long history the beginning is left out. Undefined: there are none. */
export function transcriptOf(messages: readonly ChatMessageParam[]): string | undefined {
  const texts = messages.map(messageText).filter((text) => text !== '[assistant]');
  if (texts.length === 0) return undefined;
  const kept: string[] = [];
  let chars = 0;
  for (const text of texts.toReversed()) {
    chars += text.length;
    if (chars > transcriptCharsMax) break;
    kept.unshift(text);
  }
  const left = texts.length - kept.length;
  return [...(left > 0 ? [`(${left} earlier messages are left out)`] : []), ...kept].join('\n\n');
}

function messageText(message: ChatMessageParam): string {
  const text = cutText(textOfContent(message.content), transcriptCharsMax);
  if (message.role === 'tool') return `[tool ${message.tool_call_id}]\n${text}`;
  if (message.role !== 'assistant') return `[${message.role}]\n${text}`;
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: { name, arguments: input } }) => `(call ${id}: ${name} ${input})`,
  );
  return ['[assistant]', ...(text === '' ? [] : [text]), ...calls].join('\n');
}
