import { afterAll, expect, test } from 'vitest';
import type { FargateSettings } from '../../runtime/adapters/fargate/settings.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { openFargate } from '../../runtime/cli/open-fargate.ts';
import { openFargatePlace, type Place } from '../tools/aws/place.ts';
import { execConformance } from './exec-conformance.ts';
import { timelessParts } from './exec-kit.ts';

// proves: exec.fargate

const scope = new Scope();
afterAll(() => scope[Symbol.asyncDispose]());

let place: Place;

execConformance('Fargate', async () => {
  place = await openFargatePlace(scope);
  const settings: FargateSettings = place.settings;
  const parts = timelessParts();
  const sandbox = await openFargate({ ...parts, settings });
  return { ...parts, sandbox, elsewhere: true };
});

// proves: exec.fargate-clean
test('every task, secret and object of what has run is gone', async () => {
  expect(place.tasks.running()).toEqual([]);
  expect([...place.secrets.kept.keys()]).toEqual([]);
  expect(await place.objects()).toEqual([]);
});
