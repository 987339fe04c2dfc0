import type { JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { PropsDefinition } from '../../define/settings.ts';
import type { Problems } from '../validate/problems.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';
import {
  noSettings,
  type OperatorSettings,
  readSettings,
  settingKeys,
} from './operator-settings.ts';

type Values = Readonly<Record<string, unknown>>;
type State = {
  readonly values: Values;
  /** Of `bundles.yaml`, and set over it while the bundle serves. */
  readonly base: OperatorSettings;
  readonly live: OperatorSettings;
};
type PropsResult = { readonly state?: State; readonly problems: readonly string[] };

/** The props of one bundle: parsed, and given anew while it serves. Some keys set its agents instead. */
export class BundleProps {
  readonly #props: PropsDefinition | undefined;
  readonly #agents: readonly string[];
  #base: JsonObject;
  #live: JsonObject = {};
  #now: State = { values: {}, base: noSettings, live: noSettings };

  /** What does not fit is added to the problems. */
  constructor({ props, agents = [] }: BundleDefinition, base: JsonObject, problems: Problems) {
    this.#props = isDefinition('props', props) ? props : undefined;
    this.#agents = agents.map(({ id }) => id);
    this.#base = base;
    for (const key of this.#reserved()) {
      problems.add(`prop “${key}” is reserved for settings of agents; take another name`);
    }
    const { state, problems: wrong } = this.#read({});
    if (state) this.#now = state;
    for (const problem of wrong) problems.add(problem);
  }

  /** Those in force. */
  get now(): Values {
    return this.#now.values;
  }

  /** What they were parsed from. */
  get source(): JsonObject {
    return without({ ...this.#base, ...this.#live }, settingKeys);
  }

  /** The same object as long as nothing changes. */
  get settings(): Pick<State, 'base' | 'live'> {
    return this.#now;
  }

  /** Refusal `invalid_input`: those in force would stay. */
  check(live: JsonObject): State {
    const { state, problems: wrong } = this.#read(live);
    if (state) return state;
    throw new Refusal('invalid_input', `${wrong.join('; ')}. The props before stay in force.`);
  }

  /** In force from now on, over those of `bundles.yaml`. Refusal `invalid_input`: those before stay. */
  override(live: JsonObject): void {
    this.#now = this.check(live);
    this.#live = live;
  }

  /** All of them anew, in a process that only follows. Refusal `invalid_input`: those before stay. */
  replace(given: JsonObject): void {
    const before = this.#base;
    this.#base = given;
    try {
      this.override({});
    } catch (error) {
      this.#base = before;
      throw error;
    }
  }

  #reserved(): readonly string[] {
    const shape = this.#props?.schema.shape ?? {};
    return settingKeys.filter((key) => Object.hasOwn(shape, key));
  }

  #read(live: JsonObject): PropsResult {
    const base = readSettings(this.#base, { agents: this.#agents, live: false });
    const over = readSettings(live, { agents: this.#agents, live: true });
    const own = this.#readOwn(without({ ...this.#base, ...live }, settingKeys));
    const wrong = [...base.problems, ...over.problems, ...own.wrong];
    if (wrong.length > 0) return { problems: wrong };
    return {
      state: { values: own.values, base: base.settings, live: over.settings },
      problems: wrong,
    };
  }

  #readOwn(given: JsonObject): { readonly values: Values; readonly wrong: readonly string[] } {
    const keys = Object.keys(given);
    if (!this.#props) {
      const wrong = `it has no props, but is given ${keys.join(', ')}`;
      return { values: {}, wrong: keys.length > 0 ? [wrong] : [] };
    }
    const { schema } = this.#props;
    const unknown = keys.filter((key) => !Object.hasOwn(schema.shape, key));
    const parsed = schema.safeParse(given);
    const wrong = [
      ...(unknown.length > 0 ? [`it has no props ${unknown.join(', ')}`] : []),
      ...(parsed.success
        ? []
        : [`its props do not fit: ${toSentence(toViolations(parsed.error))}`]),
    ];
    return { values: parsed.success ? Object.freeze(parsed.data) : {}, wrong };
  }
}

function without(given: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !keys.includes(key)));
}
