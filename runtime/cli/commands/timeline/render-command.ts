import { promptAt } from '../../../engine/inspect/round-prompt.ts';
import { toSeq } from '../../../timeline/ids.ts';
import { type RenderPart, roleOf } from '../../../timeline/render/parts.ts';
import type { StoredConversation } from './open-conversation.ts';

type Options = { readonly json: boolean; readonly at: number | undefined };

/**
 * `timeloom timeline render`: reproduces the prompt of the latest round opened at or before a block. Exit code 1: the
 * prompt is not byte for byte what was sent.
 */
export async function render(log: StoredConversation, { json, at }: Options): Promise<number> {
  const { past, system, parts, tokens, beside, same } = await promptAt(
    log,
    toSeq(at ?? log.row.head),
  );
  const { opened, open } = past;
  const { turn, seq } = open;
  const { round, renderer } = opened;
  if (json) {
    const line = {
      seq,
      turn,
      round,
      as_of: opened.as_of,
      renderer,
      same: same !== false,
      tokens,
      system,
      parts,
      ...beside,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } else {
    process.stdout.write(`${system}\n${shown(parts).join('')}`);
  }
  if (same === false)
    process.stderr.write(
      `this prompt differs from the one sent (${opened.prompt}, made by ${renderer}): the log or the renderer has changed\n`,
    );
  return same === false ? 1 : 0;
}

/** Parts as a person reads them. In message form, a line says whose message begins. */
function shown(parts: readonly RenderPart[]): readonly string[] {
  const hasReplies = parts.some((part) => roleOf(part) === 'assistant');
  return parts.flatMap((part, index) => {
    const role = roleOf(part);
    const before = parts[index - 1];
    const isNew = hasReplies && (!before || roleOf(before) !== role);
    return [isNew ? `\n<message of the ${role}>\n` : '', textOfPart(part)];
  });
}

function textOfPart(part: RenderPart): string {
  switch (part.kind) {
    case 'text':
    case 'result':
      return part.text;
    case 'blob':
      return `<${part.mime} ${part.path} ${part.blob.hash}>\n`;
    case 'call':
      return `\n<call of ${part.tool} ${JSON.stringify(part.input)}>\n`;
    case 'carry':
      return `<reasoning ${part.blob.hash}>\n`;
  }
}
