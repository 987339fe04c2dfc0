import fc from 'fast-check';
import { toCallId, toStreamName } from '../../../../runtime/timeline/ids.ts';
import { ask, Player, type Stage, signal } from '../stage.ts';

/** What happens in a turn, one thing after the other. */
export type TurnStep =
  | { readonly do: 'think' | 'say'; readonly text: string }
  | { readonly do: 'finish'; readonly marker: 'thinking' | 'answer'; readonly block: boolean }
  | { readonly do: 'tool' | 'retry' | 'interrupt' | 'takeover' | 'next' };

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', '[', ']', 'S', ':', '1', '`'),
  minLength: 1,
  maxLength: 9,
});

export const turnStep: fc.Arbitrary<TurnStep> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('think'), text }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say'), text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('finish'),
      marker: fc.constantFrom('thinking', 'answer'),
      block: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('tool', 'retry', 'interrupt', 'takeover', 'next'),
    }),
  },
);

/** Plays a turn as workers would: streams, their blocks, retried generations, interruptions, other workers. */
export class RandomTurn {
  readonly #stage: Stage;
  #player: Player;
  #round = 1;
  #texts = new Map<string, string>();
  #closed = new Set<string>();
  #calls = 0;
  #answers = 0;

  private constructor(stage: Stage, player: Player) {
    this.#stage = stage;
    this.#player = player;
  }

  static async open(stage: Stage): Promise<RandomTurn> {
    const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'Go' };
    await ask(stage.connect(), 'chat_message', message);
    const turn = new RandomTurn(stage, await Player.take(stage.deps, 'conv_a'));
    await turn.#openRound();
    return turn;
  }

  async play(step: TurnStep): Promise<void> {
    switch (step.do) {
      case 'think':
        return this.#write('thinking', step.text);
      case 'say':
        return this.#write('answer', step.text);
      case 'finish':
        return this.#finish(step.marker, step.block);
      case 'tool':
        return this.#tool();
      case 'retry':
        return this.#retry();
      case 'interrupt':
        return this.#nextRound('interrupted');
      case 'takeover':
        return this.#takeOver();
      case 'next':
        return this.#nextRound('acted');
    }
  }

  /** The answer of the turn. */
  async end(): Promise<string> {
    await this.#nextRound('acted');
    await this.#write('answer', 'The end.');
    await this.#finish('answer', true);
    await this.#player.append({
      ...{ type: 'round.close', author: 'system' },
      data: { round: this.#round, outcome: 'completed' },
    });
    await this.#player.close('The end.');
    return 'The end.';
  }

  #name(marker: string) {
    const use = marker === 'answer' ? this.#answers + 1 : 1;
    return toStreamName(`${this.#player.turn}.${this.#round}.${marker}.${use}`);
  }

  async #write(marker: string, piece: string): Promise<void> {
    const stream = this.#name(marker);
    if (this.#closed.has(stream)) return;
    const before = this.#texts.get(stream) ?? '';
    this.#texts.set(stream, before + piece);
    const place = { stream, offset: before.length, round: this.#round };
    await this.#player.delta(marker, piece, place);
  }

  /** The stream is complete, and its block is written now or never. */
  async #finish(marker: 'thinking' | 'answer', block: boolean): Promise<void> {
    const stream = this.#name(marker);
    const whole = this.#texts.get(stream);
    if (whole === undefined || this.#closed.has(stream)) return;
    this.#closed.add(stream);
    const place = { stream, offset: whole.length, round: this.#round, completed: true };
    await this.#player.delta(marker, '', place);
    if (!block) return;
    const data = { stream, n: this.#answers + 1, degraded: false };
    const type = marker === 'answer' ? 'assistant.completion' : 'react.thinking';
    await this.#player.append({ type, author: 'agent', text: whole, data });
    if (marker === 'answer') this.#answers += 1;
  }

  async #tool(): Promise<void> {
    this.#calls += 1;
    const call = { author: 'agent' as const, call: toCallId(`tc_${this.#calls}`) };
    await this.#player.append({
      ...call,
      type: 'react.tool.call',
      data: { tool: 't.t', input: {} },
    });
    await this.#player.append({ ...call, type: 'react.tool.result', data: { ok: true, ret: 1 } });
  }

  async #retry(): Promise<void> {
    for (const stream of [this.#name('thinking'), this.#name('answer')]) {
      if (!this.#texts.has(stream) || this.#closed.has(stream)) continue;
      this.#player.live('stream.reset', { stream });
      this.#texts.delete(stream);
    }
  }

  async #openRound(): Promise<void> {
    const data = { round: this.#round, phase: 'decision' };
    await this.#player.append({ type: 'round.open', author: 'system', data });
  }

  async #nextRound(outcome: string): Promise<void> {
    const data = { round: this.#round, outcome };
    await this.#player.append({ type: 'round.close', author: 'system', data });
    this.#round += 1;
    await this.#openRound();
  }

  async #takeOver(): Promise<void> {
    const { key, fence } = this.#player;
    await this.#stage.deps.store.release(key, { fence, signal });
    this.#player = await Player.take(this.#stage.deps, 'conv_a');
    await this.#nextRound('interrupted');
  }
}
