import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../../base/refusal.ts';
import { packageRoot } from '../../config/package-root.ts';

/** Four years of Seattle's weather, from the public data sets of vega. Refusal `demo_failed` when they are not installed. */
export function readWeather(): Uint8Array<ArrayBuffer> {
  const file = join(packageRoot(), 'node_modules/vega-datasets/data/seattle-weather.csv');
  if (existsSync(file)) return new Uint8Array(readFileSync(file));
  throw new Refusal(
    'demo_failed',
    'the demo analyses a data set of the package vega-datasets, which is not installed: run npm ci in the checkout',
  );
}
