import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import { type RoundPrompt, sourcesOf } from '../../../engine/inspect/round-prompt.ts';
import { toSeq } from '../../../timeline/ids.ts';
import { type Origin, readableText } from '../../../timeline/origins/origins.ts';
import { formOfRound } from '../../../timeline/render/form.ts';
import { type RenderPart, roleOf } from '../../../timeline/render/parts.ts';
import { isAnswer } from '../../../timeline/render/past-rounds.ts';
import { timelineSegments } from '../../../timeline/render/render.ts';
import { countTokens } from '../../../timeline/tokens.ts';
import { absentBlocksMax, promptCharsMax } from '../log/limits.ts';
import type { InspectedLog } from '../log/log-cache.ts';

/** The prompt of a round as the interface describes it. Refusal `too_large`. */
export function toWirePrompt(log: InspectedLog, prompt: RoundPrompt): object {
  const { past, system, parts, beside, tokens, same } = prompt;
  const { opened, open } = past;
  const { origins, absent } = sourcesOf(log, prompt);
  const chars = parts.reduce((sum, part) => sum + readableText(part).length, system.length);
  if (chars > promptCharsMax)
    throw new Refusal(
      'too_large',
      `the prompt has ${chars} characters, more than ${promptCharsMax}`,
    );
  const systemTokens = tokensOfSystem(open.data) ?? countTokens(system);
  const missing = absent.filter(({ because }) => because !== 'silent');
  const shown = missing.slice(-absentBlocksMax);
  return {
    ok: true,
    seq: open.seq,
    turn: open.turn,
    round: opened.round,
    phase: opened.phase,
    as_of: opened.as_of,
    renderer: opened.renderer,
    ...(same !== undefined && { same_as_sent: same }),
    tokens: tokens + systemTokens,
    ...(beside.tools !== undefined && { offered_tools: beside.tools }),
    parts: [
      systemPart(system, { tokens: systemTokens, seq: open.seq }),
      ...toWireParts(prompt, origins),
    ],
    absent: shown,
    absent_omitted: missing.length - shown.length,
  };
}

function tokensOfSystem(data: unknown): number | undefined {
  const tokens = isJsonObject(data) ? data['tokens'] : undefined;
  const system = isJsonObject(tokens) ? tokens['system'] : undefined;
  return typeof system === 'number' ? system : undefined;
}

function systemPart(text: string, { tokens, seq }: { tokens: number; seq: number }): object {
  const origin = { from: 0, to: text.length, block: seq, as: 'runtime' };
  const place = { in: 'system', kind: 'text', role: 'system' };
  return { ...place, text, tokens, checkpoint: true, origins: [origin] };
}

function toWireParts(
  { past, parts }: RoundPrompt,
  origins: readonly (readonly Origin[])[],
): readonly object[] {
  const { view, open, opened } = past;
  const segments = isAnswer(opened)
    ? []
    : timelineSegments(view, toSeq(opened.as_of), formOfRound(open.data));
  return parts.map((part, index) => {
    const segment = segments[index];
    const text = readableText(part);
    return {
      in: segment || isAnswer(opened) ? 'timeline' : 'tail',
      kind: part.kind,
      role: roleOf(part),
      text,
      tokens: segment?.tokens ?? countTokens(text),
      ...(segment && { turn: segment.turn }),
      ...(part.checkpoint && { checkpoint: true }),
      ...extrasOf(part),
      origins: origins[index] ?? [],
    };
  });
}

function extrasOf(part: RenderPart): JsonObject {
  if (part.kind === 'blob') return { path: part.path, mime: part.mime };
  return part.kind === 'call' || part.kind === 'result' ? { call: part.call } : {};
}
