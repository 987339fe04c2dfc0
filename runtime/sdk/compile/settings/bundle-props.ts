import type { Json, JsonObject } from '../../../base/json.ts';
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
  /** Settings from `bundles.yaml` (`base`), and live settings that override them. */
  readonly base: OperatorSettings;
  readonly live: OperatorSettings;
};
const unchanged = 'The previous props stay in force.';

type PropsResult = { readonly state?: State; readonly problems: readonly string[] };

/** The parsed props of one bundle, which can change while it serves. Some keys are settings of its agents. */
export class BundleProps {
  readonly #props: PropsDefinition | undefined;
  readonly #agents: readonly string[];
  #base: JsonObject;
  #live: JsonObject = {};
  #now: State = { values: {}, base: noSettings, live: noSettings };

  /** Adds everything that is not valid to the problems. */
  constructor({ props, agents = [] }: BundleDefinition, base: JsonObject, problems: Problems) {
    this.#props = isDefinition('props', props) ? props : undefined;
    this.#agents = agents.map(({ id }) => id);
    this.#base = base;
    for (const key of this.#reserved()) {
      problems.add(`prop “${key}” is reserved for agent settings; use another name`);
    }
    const { state, problems: wrong } = this.#read({});
    if (state) this.#now = state;
    for (const problem of wrong) problems.add(problem);
    for (const key of this.perUser) {
      const isDeclared = this.#props && Object.hasOwn(this.#props.schema.shape, key);
      if (!isDeclared) problems.add(`perUser names “${key}”, which is not a key of the props`);
    }
  }

  /** The keys that users set for themselves. */
  get perUser(): readonly string[] {
    return this.#props?.perUser ?? [];
  }

  /** The values in force. */
  get now(): Values {
    return this.#now.values;
  }

  /** The JSON that the values were parsed from. */
  get source(): JsonObject {
    return without({ ...this.#base, ...this.#live }, settingKeys);
  }

  /** The same object while nothing changes. */
  get settings(): Pick<State, 'base' | 'live'> {
    return this.#now;
  }

  /** Refusal `invalid_input` if the values are not valid. */
  check(live: JsonObject): State {
    const { state, problems: wrong } = this.#read(live);
    if (state) return state;
    throw new Refusal('invalid_input', `${wrong.join('; ')}. ${unchanged}`);
  }

  /** Puts live props into force, over those of `bundles.yaml`. Refusal `invalid_input`: the previous props stay in force. */
  override(live: JsonObject): void {
    this.#now = this.check(live);
    this.#live = live;
  }

  /** Replaces all props, in a process that follows another. Refusal `invalid_input`: the previous props stay in force. */
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

  /** The values in force for a user who has set `own`. Those of the operator if `own` does not fit. */
  withOwn(own: JsonObject): Values {
    if (Object.keys(own).length === 0) return this.now;
    const { values, wrong } = this.#readOwn({ ...this.source, ...own });
    return wrong.length === 0 ? values : this.now;
  }

  /** Refusal `invalid_input`: users do not set these keys, or the props would not be valid with them. */
  checkOwn(own: JsonObject): void {
    const others = Object.keys(own).filter((key) => !this.perUser.includes(key));
    const wrong =
      others.length > 0
        ? [this.#notForUsers(others)]
        : this.#readOwn({ ...this.source, ...own }).wrong;
    if (wrong.length > 0) throw new Refusal('invalid_input', `${wrong.join('; ')}. ${unchanged}`);
  }

  /** What is in force of the values that a user has set earlier: those that still fit. */
  fittingOwn(own: JsonObject): JsonObject {
    const fits = (some: JsonObject) =>
      this.#readOwn({ ...this.source, ...some }).wrong.length === 0;
    const allowed = only(own, (key) => this.perUser.includes(key));
    if (fits(allowed)) return allowed;
    const single = only(allowed, (key, value) => fits({ [key]: value }));
    return fits(single) ? single : {};
  }

  /** The operator's JSON of the keys that users set. */
  get sharedOwn(): JsonObject {
    return only(this.source, (key) => this.perUser.includes(key));
  }

  #notForUsers(keys: readonly string[]): string {
    const most =
      this.perUser.length > 0
        ? `only ${this.perUser.join(', ')}`
        : 'the bundle has no props of users';
    return `users cannot set ${keys.join(', ')}: ${most}`;
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
      const wrong = `it declares no props, but these are set: ${keys.join(', ')}`;
      return { values: {}, wrong: keys.length > 0 ? [wrong] : [] };
    }
    const { schema } = this.#props;
    const unknown = keys.filter((key) => !Object.hasOwn(schema.shape, key));
    const parsed = schema.safeParse(given);
    const wrong = [
      ...(unknown.length > 0 ? [`unknown props: ${unknown.join(', ')}`] : []),
      ...(parsed.success ? [] : [`invalid props: ${toSentence(toViolations(parsed.error))}`]),
    ];
    return { values: parsed.success ? Object.freeze(parsed.data) : {}, wrong };
  }
}

function without(given: JsonObject, keys: readonly string[]): JsonObject {
  return only(given, (key) => !keys.includes(key));
}

function only(given: JsonObject, isWanted: (key: string, value: Json) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([key, value]) => isWanted(key, value)));
}
