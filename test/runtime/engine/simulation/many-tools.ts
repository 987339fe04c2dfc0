import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/base/json.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import type { Chance } from './chance.ts';

/** Enough tools that a choice is made for each turn. */
export const moreTools = Array.from({ length: 9 }, (_, index) => `sim.more${index + 1}`);
/** In a group that is off. */
export const laterTool = 'sim.later';
export const laterGroup = {
  id: 'later',
  description: 'Later.',
  tools: [laterTool],
  active: false,
};
const own = ['sim.read', 'sim.note', 'sim.keyed', 'sim.once', 'sim.asked', 'sim.client'];

/** What a model calls that has many tools: also hidden ones, and the tool that brings them into view. */
export function manyToolsReply(chance: Chance): Reply {
  const some = chance.one(['sim.more1', 'sim.more5', 'sim.more9', laterTool]);
  const switching = chance.one([{ add: [some] }, { add: ['later'] }, { set: [] }]);
  const call: { tool: string; input: JsonObject } = chance.happens(0.4)
    ? { tool: 'react.tools', input: switching }
    : { tool: some, input: {} };
  return { call: { ...call, notes: 'Trying' }, chunk: 10 + chance.below(60) };
}

/** Sometimes no answer, or none that helps. */
export function selectionReply(chance: Chance): Reply {
  const role = 'selection';
  if (chance.happens(0.1)) return { role, fault: { code: 'MODEL_OVERLOADED' } };
  if (chance.happens(0.1)) return { role, raw: 'I would take them all.' };
  const list = [...own, ...moreTools].filter(() => chance.happens(0.3));
  return { role, output: list, chunk: 10 + chance.below(60) };
}

/** A turn chooses once, and exactly the tools that were visible when a round was opened run in it. */
export function visibilityFaults(blocks: readonly Block[]): readonly string[] {
  const account = new Account();
  return blocks.flatMap((block) => account.take(block));
}

/** Follows a log without the code under test. */
class Account {
  readonly #chosen = new Map<string, Set<string>>();
  readonly #calls = new Map<string, string>();
  #isOn = false;
  #shown: (tool: string) => boolean = () => true;

  take(block: Block): readonly string[] {
    const data = isJsonObject(block.data) ? block.data : {};
    switch (block.type) {
      case 'tools.visibility':
        return data['reason'] === 'react.tools'
          ? this.#switch(block, data)
          : this.#choose(block, data);
      case 'round.open':
        this.#openRound(block);
        return [];
      case 'react.tool.call':
        this.#calls.set(block.call ?? '', String(data['tool']));
        return [];
      case 'react.tool.result':
        return this.#judge(block, data);
      default:
        return [];
    }
  }

  #switch({ turn }: Block, data: JsonObject): readonly string[] {
    const isNamed = listOf(data['groups']).includes('later');
    this.#isOn = isNamed || (this.#isOn && data['mode'] === 'add');
    for (const tool of listOf(data['tools'])) this.#chosen.get(turn)?.add(tool);
    return [];
  }

  #choose({ turn, seq }: Block, data: JsonObject): readonly string[] {
    const isRepeated = this.#chosen.has(turn);
    this.#chosen.set(turn, new Set(listOf(data['tools'])));
    return isRepeated ? [`${turn} chooses again at ${seq}`] : [];
  }

  #openRound({ turn }: Block): void {
    const [isOn, chosen] = [this.#isOn, new Set(this.#chosen.get(turn))];
    this.#shown = (tool) => {
      if (tool === laterTool) return isOn;
      return ![...own, ...moreTools].includes(tool) || chosen.size === 0 || chosen.has(tool);
    };
  }

  #judge({ call, seq }: Block, { ok, error }: JsonObject): readonly string[] {
    const tool = this.#calls.get(call ?? '') ?? '';
    const isRefused = isJsonObject(error) && error['code'] === 'tool_not_visible';
    const isShown = this.#shown(tool);
    if (ok === true && !isShown) return [`${tool} ran at ${seq} while hidden`];
    return isRefused && isShown ? [`${tool} was refused at ${seq} while visible`] : [];
  }
}

function listOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
