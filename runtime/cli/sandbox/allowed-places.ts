import { Fault } from '../../base/fault.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { Config } from '../config/config.ts';

type Agent = Pick<AgentSettings, 'bundle' | 'id' | 'exec'>;

/** Throws Fault `CONFIG_INVALID` if an agent chooses a sandbox that the operator does not allow. */
export function assertPlaces(
  agents: readonly Agent[],
  { execMode, execAllowance }: Pick<Config, 'execMode' | 'execAllowance'>,
): void {
  // Without programs the choice has no effect.
  if (execMode === 'off') return;
  const { modes = [], images = [] } = execAllowance;
  for (const { bundle, id, exec } of agents) {
    const { mode, image } = exec;
    const fix = (key: string, value: string) =>
      `${bundle}/${id} has exec.${key}: ${value}, which the operator does not allow; add it to exec.allow.${key}s in assembly.yaml, or remove it`;
    if (mode !== undefined && mode !== execMode && !modes.includes(mode)) {
      throw new Fault('CONFIG_INVALID', { because: fix('mode', mode) });
    }
    if (image === undefined) continue;
    if (!images.includes(image))
      throw new Fault('CONFIG_INVALID', { because: fix('image', image) });
    if (mode !== undefined && mode !== 'docker') {
      const because = `${bundle}/${id} has exec.image and exec.mode: ${mode}; an image requires mode docker`;
      throw new Fault('CONFIG_INVALID', { because });
    }
  }
}
