import { isJsonObject, type Json } from '../base/json.ts';
import { toSidecar } from '../channels/citation-sidecar.ts';
import type { AcceptedAction, PacketReading } from '../channels/read-packet.ts';
import type { Draft } from '../timeline/block.ts';
import type { Action, FinalAction } from './actions.ts';
import type { Author } from './author.ts';
import type { Generated } from './generate.ts';
import { rawAnswerCharsMax, violationsPerTurnMax } from './limits.ts';
import { type Place, streamName } from './speech.ts';

export type Told = { readonly code: string; readonly message: string; readonly detail: Json };

type Accepting = {
  readonly call: string;
  readonly place: Place;
  readonly summary: string | undefined;
  /** Streams of written files that clients have seen, by decision instance. */
  readonly written: ReadonlyMap<number, string>;
};

/** An accepted decision as `model.call` keeps it. */
export function toAction(
  { decision, instance }: AcceptedAction,
  { call, place, summary, written }: Accepting,
): Action {
  if (decision.action === 'call_tool') {
    const { tool_id, params } = decision.tool_call;
    const stream = written.get(instance);
    const { notes } = decision;
    const action = { kind: 'call_tool' as const, call, tool: tool_id, input: params, notes };
    return stream === undefined ? action : { ...action, stream };
  }
  return {
    kind: decision.action,
    call,
    answer: decision.final_answer,
    stream: streamName(place, 'answer', instance),
    followups: [...(decision.suggested_followups ?? [])],
    degraded: false,
    ...(decision.output === undefined ? {} : outputOf(decision.output)),
    ...(summary === undefined ? {} : { summary }),
  };
}

/** Citations stand beside an output: its schema has no room for them. */
function outputOf(output: Json): Pick<FinalAction, 'output' | 'citations'> {
  const { value, citations } = toSidecar(output);
  const beside = citations.map(({ path, sids }) => ({ path, sids: [...sids] }));
  return { output: value, ...(beside.length > 0 ? { citations: beside } : {}) };
}

/** An answer whose structured output does not fit goes back to the model, never out. */
export function checkOutputs(
  { agent: { output } }: Author,
  { actions }: PacketReading,
): { actions: readonly AcceptedAction[]; violations: readonly Told[] } {
  const violations: Told[] = [];
  if (!output) return { actions, violations };
  const kept = actions.filter(({ decision }) => {
    if (decision.action !== 'complete') return true;
    const { value } = toSidecar('output' in decision ? (decision.output ?? null) : null);
    const parsed = output.parse(value);
    if (parsed.ok) return true;
    const list = parsed.violations
      .map(({ path, message }) => `${path || 'output'}: ${message}`)
      .join('; ');
    const message = `The output does not fit its schema: ${list}. Complete again with an output that fits.`;
    violations.push({ code: 'output_invalid', message, detail: {} });
    return false;
  });
  return { actions: kept, violations };
}

type Lost = {
  readonly generated: Generated;
  readonly place: Place;
  readonly wrong: readonly Told[];
};

/** The model has broken the protocol too often: what it said becomes the answer, marked as degraded, or the turn fails. */
export function giveUp(
  { agent, engine, turn }: Author,
  { generated, place, wrong }: Lost,
): { action?: Action; error?: { code: string; message: string } } | undefined {
  const before = turn.rounds.filter((each) => outcomeOf(each.blocks) === 'violation').length;
  if (before < violationsPerTurnMax) return undefined;
  if (agent.policies.malformed === 'fail') {
    const message = `The model did not keep to the protocol: ${wrong[0]?.code ?? 'unusable reply'}.`;
    return { error: { code: 'MODEL_MALFORMED', message } };
  }
  // Without a single channel, what stood outside of them is all there is.
  const said = generated.packet.usedText || generated.raw.replaceAll(/<\/?channel:[^>]*>/gi, '');
  const answer = said.slice(0, rawAnswerCharsMax).toWellFormed().trim();
  const stream = streamName(place, 'answer', 0);
  const call = engine.ids.next('tc');
  return {
    action: {
      kind: 'complete',
      call,
      answer: answer === '' ? 'The model did not give a usable answer. Please ask again.' : answer,
      stream,
      followups: [],
      degraded: true,
    },
  };
}

function outcomeOf(blocks: readonly Draft[]): string {
  const data = blocks.findLast(({ type }) => type === 'round.close')?.data;
  return isJsonObject(data) ? String(data['outcome']) : '';
}
