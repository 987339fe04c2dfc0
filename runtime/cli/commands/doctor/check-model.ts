import { openModel } from '../../../adapters/models/open-models.ts';
import type { ModelAbilities } from '../../../engine/ports/model.ts';
import type { Config } from '../../config/config.ts';
import { statedSettings } from '../../models/model-choice.ts';
import { accessOf } from '../../models/models.ts';
import { toLine } from './doctor-finding.ts';
import { type Probed, probeModel } from './probe-model.ts';

type Options = {
  readonly config: Config;
  readonly json: boolean;
  readonly signal: AbortSignal;
};

/**
 * `timeloom doctor --model provider:name`: calls the model with its settings in assembly.yaml, prints what works, and its
 * abilities as they are written there. Exit code 1: it does not answer.
 */
export async function checkModel(ref: string, { config, json, signal }: Options): Promise<number> {
  const { fallback: _, ...settings } = statedSettings(config, ref);
  const probed = await probeModel(await openModel(settings, accessOf(config)), { signal });
  process.stdout.write(json ? toJson(ref, probed) : toText(ref, probed));
  return probed.findings[0]?.ok === true ? 0 : 1;
}

function toJson(model: string, { findings, abilities }: Probed): string {
  return `${JSON.stringify({ model, findings, abilities: toYamlNames(abilities) })}\n`;
}

function toText(model: string, { findings, abilities }: Probed): string {
  const lines = findings.map(toLine).join('');
  if (findings[0]?.ok !== true) return lines;
  const fields = Object.entries(toYamlNames(abilities)).map(([name, has]) => `${name}: ${has}`);
  return `${lines}\nFor assembly.yaml, below models, or for defineAgent in camelCase:\n  { model: "${model}", abilities: { ${fields.join(', ')} } }\n`;
}

function toYamlNames({ tools, forcedChoice, json }: ModelAbilities) {
  return { tools, forced_choice: forcedChoice, json };
}
