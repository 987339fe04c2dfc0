import { Refusal } from '../../../base/refusal.ts';
import { besideOf, hashPrompt } from '../../../engine/agent/prompt-hash.ts';
import { toSeq } from '../../../timeline/ids.ts';
import { type RenderPart, roleOf } from '../../../timeline/render/parts.ts';
import { renderPastRound, roundAt } from '../../../timeline/render/past-rounds.ts';
import type { StoredConversation } from './open-conversation.ts';

type Options = { readonly json: boolean; readonly at: number | undefined };

/**
 * `timeloom timeline render`: reproduces the prompt of the latest round opened at or before a block. Exit code 1: the
 * prompt is not byte for byte what was sent.
 */
export async function render(log: StoredConversation, { json, at }: Options): Promise<number> {
  const past = roundAt(log.blocks, toSeq(at ?? log.row.head));
  if (!past)
    throw new Refusal('not_found', `no round was opened at or before block ${at ?? log.row.head}`);
  const { opened, open } = past;
  const system = await textOf(log, opened.hashes.system);
  const { parts, tokens } = renderPastRound(past, await textOf(log, opened.hashes.announce));
  const { offer } = opened.hashes;
  const tools = offer === undefined ? undefined : await textOf(log, offer);
  const beside = besideOf(opened, tools);
  const same =
    opened.prompt === undefined || opened.prompt === hashPrompt({ system, parts, beside });
  const { turn, seq } = open;
  const { round, renderer } = opened;
  if (json) {
    const line = {
      seq,
      turn,
      round,
      as_of: opened.as_of,
      renderer,
      same,
      tokens,
      system,
      parts,
      ...beside,
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  } else {
    process.stdout.write(`${system}\n${shown(parts).join('')}`);
  }
  if (!same)
    process.stderr.write(
      `this prompt differs from the one sent (${opened.prompt}, made by ${renderer}): the log or the renderer has changed\n`,
    );
  return same ? 0 : 1;
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

/** Reads text that is stored outside the log. Fault `BLOB_MISSING` or `BLOB_CORRUPT`. */
export async function textOf(
  { blobs, row, signal }: StoredConversation,
  hash: string,
): Promise<string> {
  const bytes = await blobs.get(row.tenant, hash, { signal });
  return Buffer.from(bytes).toString();
}
