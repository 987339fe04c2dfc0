/** Tools that are visible together. */
export type ToolGroup = {
  readonly id: string;
  readonly description: string;
  /** Ids. If the group is not active: only those that nothing else makes visible. */
  readonly tools: readonly string[];
  /** On from the start, and always. Otherwise the model switches it on and off. */
  readonly active: boolean;
};
