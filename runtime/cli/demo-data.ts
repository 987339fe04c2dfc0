import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Refusal } from '../base/refusal.ts';

/** The folder of the checkout or package, from a file somewhere within it. */
export function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'bundles/analyst/bundle.ts'))) return folder;
    if (folder === dirname(folder)) throw new Refusal('demo_failed', 'bundles/analyst is missing');
  }
}

/** Four years of Seattle's weather, from the public data sets of vega. Refusal `demo_failed` when they are not installed. */
export function readWeather(root: string): Uint8Array<ArrayBuffer> {
  const file = join(root, 'node_modules/vega-datasets/data/seattle-weather.csv');
  if (existsSync(file)) return new Uint8Array(readFileSync(file));
  throw new Refusal(
    'demo_failed',
    'the demo analyses a data set of the package vega-datasets, which is not installed: run npm ci in the checkout',
  );
}
