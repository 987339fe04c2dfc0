import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import type { Stage } from '../stage.ts';
import { Player, scope, signal } from '../stage.ts';

type Ask = (method: string, path: string, more?: { json?: object }) => Promise<Response>;

/** Asks everything about a conversation of one round, as an engine would have written it. */
export async function askWorkbench(ask: Ask, { deps }: Stage): Promise<void> {
  const keep = async (text: string) =>
    await deps.blobs.put(scope.tenant, new TextEncoder().encode(text), { signal });
  const message = { conversation_id: 'conv_w', message_id: 'w1', text: 'Hello' };
  await ask('POST', '/api/chat/dev/dev/messages', { json: message });
  const player = await Player.take(deps, 'conv_w');
  const call = toCallId('tc_look');
  const { hash } = await keep('You answer.');
  const { hash: policy } = await keep('{}');
  const hashes = { system: hash, announce: hash, policy };
  const usage = { input_tokens: 1, output_tokens: 1, cost_usd: 0 };
  await player.append(
    {
      type: 'round.open',
      author: 'system',
      data: { round: 1, as_of: 2, renderer: 'timeloom-render-8', hashes },
    },
    {
      type: 'model.call',
      author: 'system',
      blob: await keep('<channel:thinking>Hm</channel:thinking>'),
      data: { model: 'm', role: 'decision', usage, actions: [] },
    },
    {
      ...{ type: 'react.tool.call', author: 'agent', call, path: paths.call(player.turn, call) },
      data: { tool: 'desk.look', input: {} },
    },
    {
      ...{ type: 'react.tool.result', author: 'tool', call, text: 'none' },
      ...{ path: paths.result(player.turn, call), data: { ok: true } },
    },
    { type: 'round.close', author: 'system', data: { round: 1, outcome: 'answered' } },
  );
  await player.close('Hi');
  const project = '/inspect/dev/dev';
  for (const path of [
    'conversations',
    'usage',
    'agents',
    'models',
    'failures',
    'ratings',
    'budgets',
    'tools',
    'evals',
  ])
    await ask('GET', `${project}/${path}`);
  await ask('POST', `${project}/bundles/desk/check`);
  for (const verb of ['run', 'stop'])
    await ask('POST', `${project}/evals/${verb}`, { json: { folder: 'evals' } });
  const log = `${project}/conv_w`;
  for (const path of ['rounds', 'rounds/3/prompt', 'rounds/3/reply', 'cache', 'blocks'])
    await ask('GET', `${log}/${path}`);
  for (const path of ['blocks/2', 'trace', 'forks', 'family', 'as-script'])
    await ask('GET', `${log}/${path}`);
  await ask('POST', `${log}/cache/what-if`, { json: { edit: 'prune' } });
  await ask('GET', `${log}/as-case?turn=${player.turn}`);
  await ask('POST', `${log}/rerun`, { json: { turn: player.turn } });
  await ask('POST', `${log}/edit`, { json: { block: 6, text: 'some' } });
}
