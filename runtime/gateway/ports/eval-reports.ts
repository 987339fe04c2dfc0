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
  /** The last run was stopped after this many of its cases, or is at work elsewhere. */
  readonly partial?: { readonly played: number; readonly of: number };
  readonly cases: readonly EvalCaseReport[];
  /** Why the cases cannot be read, or could not be run. */
  readonly problem?: string;
  /** A run that is at work, which this server started. Cases that it has played have its results. */
  readonly running?: {
    readonly since: string;
    readonly done: number;
    readonly of: number;
    /** The case that is played now. */
    readonly case?: string;
  };
};

/** Which cases to play. Absent: all, with the model of the installation. */
export type EvalChoice = {
  readonly case?: string | undefined;
  readonly model?: string | undefined;
};

/** The evals that the operator shows to developers. */
export type EvalReports = {
  read(): Promise<readonly EvalReport[]>;
  /** Begins a run of a folder. Refusals `not_found` and `conflict`. */
  start(folder: string, choice: EvalChoice): Promise<void>;
  /** Stops it; the results of the cases that it has played are kept. Refusal `not_found`. */
  stop(folder: string): void;
};
