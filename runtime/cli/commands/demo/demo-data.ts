import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../base/package-root.ts';
import { Refusal } from '../../../base/refusal.ts';

/** Four years of Seattle weather data from vega-datasets. Throws Refusal `demo_failed` if that package is not installed. */
export function readWeather(): Uint8Array<ArrayBuffer> {
  const file = join(packageRoot(), 'node_modules/vega-datasets/data/seattle-weather.csv');
  if (existsSync(file)) return new Uint8Array(readFileSync(file));
  throw new Refusal(
    'demo_failed',
    'the demo uses data of the package vega-datasets, which is not installed: run npm ci in the checkout',
  );
}
