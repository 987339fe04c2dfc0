import { faults } from '../../../base/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Block } from '../../../timeline/block.ts';
import { dataOf } from '../../../timeline/catalogue/catalogue.ts';
import { brief } from '../../../timeline/render/text.ts';
import type { AgentAnswer } from '../../../tools/ports/agent-answer.ts';
import type { ExternalAnswer } from '../../../tools/ports/tool.ts';
import { handedOffCharsMax } from '../../limits.ts';

type ChildAgent = { readonly agent: string; readonly conversation: string };

/** The result for the call, from the blocks of the delegated turn once it has ended. */
export function childAnswer(blocks: readonly Block[], who: ChildAgent): ExternalAnswer {
  const close = blocks.findLast(({ type }) => type === 'turn.close')?.data;
  const ended: JsonObject = isJsonObject(close) ? close : {};
  const { reason } = ended;
  const text = String(ended['text'] ?? '');
  // A turn without an answer lists its steps instead; that text is not by the agent.
  const last = blocks.findLast(({ type }) => type === 'assistant.completion');
  const isAnswered = reason === 'completed' || (reason === 'exhausted' && last?.author === 'agent');
  if (!isAnswered) return { ok: false, error: errorOf(ended, who) };
  const { output, files } = ended;
  const answer: AgentAnswer = {
    answer: text,
    conversation: who.conversation,
    ...(output === undefined ? {} : { output }),
    files: filesOf(files, who.conversation),
    sources: sourcesOf(blocks),
  };
  return { ok: true, ret: answer };
}

function errorOf({ reason, error, calls }: JsonObject, { agent, conversation }: ChildAgent) {
  if (reason === 'handed_off') {
    const said = `“${agent}” has no answer: it handed off calls that its caller performs: ${callsIn(calls)} (${conversation})`;
    return { code: 'agent_handed_off', message: said, retryable: false };
  }
  if (reason === 'failed') {
    const { code = 'UNKNOWN', message = 'it did not say why' } = isJsonObject(error) ? error : {};
    const said = `“${agent}” failed: ${String(code)}: ${String(message)} (${conversation})`;
    return { code: 'agent_failed', message: said, retryable: transientCodes.has(String(code)) };
  }
  if (reason === 'exhausted') {
    const said = `“${agent}” used up its budget before it had an answer (${conversation}).`;
    return { code: 'agent_exhausted', message: said, retryable: false };
  }
  const said = `“${agent}” was stopped before it had answered (${conversation}).`;
  return { code: 'agent_stopped', message: said, retryable: false };
}

function callsIn(calls: Json | undefined): string {
  const all = Array.isArray(calls) ? calls.filter(isJsonObject) : [];
  const lines = all.map(({ tool, input }) => `${String(tool)} ${JSON.stringify(input)}`);
  return brief(lines.join(', '), handedOffCharsMax);
}

/** Transient faults. */
const transientCodes: ReadonlySet<string> = new Set(
  Object.entries(faults).flatMap(([code, { kind }]) => (kind === 'transient' ? [code] : [])),
);

/** Paths as other conversations name them. */
function filesOf(files: unknown, conversation: string): string[] {
  const all = Array.isArray(files) ? files.filter(isJsonObject) : [];
  return all.map(({ path }) => String(path).replace(':', `:${conversation}.`));
}

/** The sources that its last answer cites. */
function sourcesOf(blocks: readonly Block[]): AgentAnswer['sources'] {
  const last = blocks.findLast(({ type }) => type === 'assistant.completion');
  const used = new Set(last && dataOf('assistant.completion', last)?.sources_used);
  const rows = blocks
    .filter(({ type }) => type === 'source.row')
    .flatMap((block) => dataOf('source.row', block) ?? [])
    .filter(({ sid }) => used.has(sid));
  const newest = new Map(rows.map((row) => [row.sid, row]));
  return [...newest.values()].map(({ sid, title, url, text }) => ({
    ...{ sid, title, url },
    ...(text === undefined ? {} : { text }),
  }));
}
