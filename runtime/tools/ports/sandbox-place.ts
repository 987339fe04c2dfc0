/** Where programs run if not in the installation's own sandbox. */
export type SandboxPlace = {
  readonly mode?: 'docker' | 'process' | 'fargate';
  /** An image with Node and Python, for Docker. */
  readonly image?: string;
  /** Number of processors; may be a fraction. */
  readonly cpus?: number;
};
