import { isJsonObject, type JsonObject } from '../../base/json.ts';

/**
 * The parameters that a model may read about. One with the mark `unlisted` is for clients and programs of the runtime: it
 * is accepted, but no text names it.
 */
export function listedParams({ properties }: JsonObject): JsonObject {
  const all = Object.entries(isJsonObject(properties) ? properties : {});
  return Object.fromEntries(all.filter(([, of]) => !isJsonObject(of) || of['unlisted'] !== true));
}
