/** A test file and the name of a test in it, as its source has it. */
export type ShownBy = readonly [file: string, test: string];

/** What another system does for its users, and where that is shown here, or why it is different here. */
export type Row = { readonly does: string } & (
  | { readonly shown: readonly [ShownBy, ...ShownBy[]] }
  | {
      /** Why it is not done here. */
      readonly differs: string;
      /** What users have here for the same purpose. */
      readonly instead: string;
      /** Shows what they have instead. */
      readonly shown: readonly [ShownBy, ...ShownBy[]];
    }
);

export type Comparison = {
  /** As `docs/guide/coming-from.md` calls it. */
  readonly system: string;
  readonly rows: readonly Row[];
};
