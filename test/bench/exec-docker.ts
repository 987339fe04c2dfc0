import type { Measured } from './area.ts';

export async function benchDocker(): Promise<Measured> {
  return {
    figures: [],
    missing: ['exec.docker_* was not measured: no Docker engine answers here'],
  };
}
