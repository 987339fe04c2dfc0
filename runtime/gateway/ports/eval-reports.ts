type Measured = {
  readonly passed: boolean;
  readonly seconds: number;
  readonly tokens: number;
  readonly cost_usd: number;
};

/** A case of a folder, and how it went last. */
export type EvalCaseReport = {
  readonly name: string;
  readonly agent?: string;
  readonly input: readonly string[];
  /** What a model judges. */
  readonly judge?: string;
  /** Absent: it has not run. */
  readonly result?: Measured & {
    readonly at: string;
    readonly model: string;
    readonly findings: readonly string[];
    readonly before?: Measured | undefined;
  };
};

export type EvalReport = {
  readonly folder: string;
  /** The last run. */
  readonly at?: string;
  readonly model?: string;
  readonly cases: readonly EvalCaseReport[];
  /** Why the cases cannot be read. */
  readonly problem?: string;
};

/** The evals that the operator shows to developers. */
export type EvalReports = { read(): Promise<readonly EvalReport[]> };
