import { isJsonObject, type Json } from '../../base/json.ts';
import { renumberCitations } from '../../channels/citations/citation-rewrite.ts';
import type { AgentAnswer } from '../ports/agent-answer.ts';
import type { TurnServices } from '../ports/call-services.ts';

type AdoptedAnswer = Pick<AgentAnswer, 'answer' | 'output'> & {
  /** With the numbers of this conversation. */
  readonly cited: readonly { readonly sid: number; readonly title: string; readonly url: string }[];
};

/** The answer of another agent, whose cited sources join the sources of this conversation. */
export async function adoptSources(
  { answer, output, sources }: Pick<AgentAnswer, 'answer' | 'output' | 'sources'>,
  services: Pick<TurnServices, 'addSources'>,
): Promise<AdoptedAnswer> {
  const sids = new Map<number, number>();
  const cited = [];
  for (const { sid, ...row } of sources) {
    const [added] = await services.addSources([row]);
    if (!added) continue;
    sids.set(sid, added.sid);
    cited.push({ sid: added.sid, title: added.title, url: added.url });
  }
  const renumbered = (text: string) => renumberCitations(text, (sid) => sids.get(sid));
  return {
    answer: renumbered(answer),
    ...(output === undefined ? {} : { output: mapTexts(output, renumbered) }),
    cited,
  };
}

/** Replaces every text in a value. */
function mapTexts(value: Json, to: (text: string) => string): Json {
  if (typeof value === 'string') return to(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, to));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, to)]));
}
