import { quote } from '../../../timeline/render/text.ts';
import { answerRequest, renderTrace, traceVersion } from '../../../timeline/render/trace.ts';
import { countRepeatedTokens, countTokens } from '../../../timeline/tokens.ts';
import { answerInstruction, answerInstructionVersion } from '../../agent/answer-instruction.ts';
import { policyText } from '../../agent/policy-text.ts';
import { hashOf, hashPrompt } from '../../agent/prompt-hash.ts';
import { announceTokensOf, outputTokensOf } from '../../agent/reserved-tokens.ts';
import { traceTokensMax } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';
import { keepTexts } from '../ask/keep-texts.ts';
import type { Prompt } from '../ask/prompt.ts';

/** The prompt of an answer: a record of the turn, not the conversation. The request is its last part. */
export async function answerPrompt(
  session: WorkerSession,
  hints: readonly string[],
): Promise<Prompt> {
  const { engine, agent } = session;
  const { view } = session.conversation;
  const model = engine.model(agent, 'answer');
  const system = answerInstruction(agent);
  const systemTokens = countRepeatedTokens(system);
  const reserved = outputTokensOf(agent) + announceTokensOf(agent) + systemTokens;
  const most = Math.min(agent.context.maxTokens, model.contextTokens);
  const room = Math.max(0, Math.min(traceTokensMax, most - reserved));
  const request = [...hints.map((hint) => `${quote(hint)}\n\n`), answerRequest(view)].join('');
  const { parts, tokens } = renderTrace(view, { tokensMax: room, request });
  const policy = policyText(agent.whole, { protocol: 'channels', names: undefined });
  const hashes = await keepTexts(session, { system, announce: request, policy });
  return {
    system,
    content: { parts },
    protocol: 'channels',
    asOf: view.head,
    now: session.now,
    tokens: tokens + systemTokens,
    record: {
      renderer: traceVersion,
      instruction: answerInstructionVersion,
      model: model.id,
      catalogue: hashOf(Buffer.from('')),
      hashes,
      room,
      prompt: hashPrompt({ system, parts }),
      tokens: { system: systemTokens, announce: countTokens(request) },
      engine: engine.worker,
    },
  };
}
