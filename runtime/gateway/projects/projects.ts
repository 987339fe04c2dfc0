import type { ProjectScope } from '../../timeline/ports/store.ts';

/** One thing for each tenant and project that is served. The first is the installation's own. */
export class Projects<Value extends { readonly scope: ProjectScope }> {
  readonly home: Value;
  readonly all: readonly Value[];
  readonly #byScope: ReadonlyMap<string, Value>;

  constructor(home: Value, others: readonly Value[]) {
    this.home = home;
    this.all = [home, ...others];
    this.#byScope = new Map(this.all.map((each) => [keyOf(each.scope), each]));
  }

  /** Undefined: not served. */
  of(scope: ProjectScope): Value | undefined {
    return this.#byScope.get(keyOf(scope));
  }
}

function keyOf({ tenant, project }: ProjectScope): string {
  return JSON.stringify([tenant, project]);
}
