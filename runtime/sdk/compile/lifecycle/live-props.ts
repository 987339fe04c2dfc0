import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import { isRefusal } from '../../../base/refusal.ts';
import { untilAborted, Work } from '../../../base/signal.ts';
import { propsChangedMsMax } from '../../contract/limits.ts';
import type { LiveProps } from '../../contract/runtime-bundle.ts';
import { isDefinition } from '../../define/definition.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type { KeyValueStore } from '../host/key-value-store.ts';
import type { BundleProps } from '../settings/bundle-props.ts';
import { settingsSchema } from '../settings/operator-settings.ts';
import { toJsonSchema } from '../validate/zod-schema.ts';
import type { Supervisor } from './supervisor.ts';

type Place = { readonly tenant: string; readonly project: string };

/** The storage space of all live props of a project, with the bundle id as the key. */
export function livePropsSpace({ tenant, project }: Place): string {
  return ['props', tenant, project].map(encodeURIComponent).join('/');
}

/** The live props that an operator has set for a bundle; `{}` if none. */
export async function storedProps(
  storage: KeyValueStore,
  { place, bundle }: { readonly place: Place; readonly bundle: string },
): Promise<JsonObject> {
  const kept = await storage.get(livePropsSpace(place), bundle);
  return isJsonObject(kept) ? kept : {};
}

export type OperatorProps = {
  /** Props from the descriptor. */
  readonly props?: JsonObject;
  /** Live props that an operator had set before the bundle was loaded. */
  readonly liveProps?: JsonObject;
};

type Parts = OperatorProps & {
  readonly supervisor: Supervisor;
  /** Refusal `invalid_input`: an agent cannot serve with these settings. */
  check(settings: BundleProps['settings']): void;
  readonly notice: (text: string) => void;
};

/** The props of a bundle and the settings of its agents, which an operator can change while it serves. */
export function openLiveProps(
  loaded: LoadedBundle,
  { supervisor, liveProps: live = {}, check, notice }: Parts,
): LiveProps {
  const { definition, host, mask, props } = loaded;
  const declared = definition.props;
  let now: JsonObject = {};
  const checked = (wanted: JsonObject) => check(props.check(wanted));
  if (Object.keys(live).length > 0) {
    try {
      checked(live);
      props.override(live);
      now = live;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      notice(`the live props do not fit this revision and are ignored: ${error.message}`);
    }
  }
  const notifyBundle = async (signal: AbortSignal) => {
    using work = new Work(signal, { deadlineMs: propsChangedMsMax });
    try {
      await untilAborted(supervisor.propsChanged(work.signal), work.signal);
    } catch (error) {
      signal.throwIfAborted();
      const because = mask.text(error instanceof Error ? error.message : String(error));
      host.log.error('onPropsChanged failed', { bundle: definition.id, because });
    }
  };
  return {
    get live() {
      return now;
    },
    schema: () => {
      const own = isDefinition('props', declared)
        ? toJsonSchema(declared.schema)
        : { type: 'object' };
      const { properties } = own;
      return { ...own, properties: { ...toObject(properties), ...settingsSchema() } };
    },
    check: checked,
    set: async (wanted, { signal }) => {
      checked(wanted);
      props.override(wanted);
      now = wanted;
      await notifyBundle(signal);
    },
  };
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
