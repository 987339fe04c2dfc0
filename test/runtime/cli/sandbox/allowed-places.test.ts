import { expect, test } from 'vitest';
import { assertPlaces } from '../../../../runtime/cli/sandbox/allowed-places.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';

const agent = (exec: object) => ({
  bundle: 'desk',
  id: 'main',
  exec: { ...agentDefaults.exec, ...exec },
});
const config = {
  execMode: 'process' as const,
  execAllowance: { modes: ['docker' as const], images: ['acme/geo:1'] },
};

// proves: exec.place-allowed
test.each([
  [{}],
  [{ mode: 'process' }],
  [{ mode: 'docker' }],
  [{ image: 'acme/geo:1' }],
  [{ mode: 'docker', image: 'acme/geo:1', cpus: 2 }],
])('an agent may choose %j', (exec) => {
  expect(() => assertPlaces([agent(exec)], config)).not.toThrow();
});

// proves: exec.place-allowed
test.each([
  [{ mode: 'fargate' }, /desk\/main has exec\.mode: fargate.*exec\.allow\.modes/],
  [{ image: 'acme/other:1' }, /exec\.image: acme\/other:1.*exec\.allow\.images/],
  [{ image: 'acme/geo:1', mode: 'process' }, /an image requires mode docker/],
])('an agent that chooses %j is refused with the setting that allows it', (exec, because) => {
  expect(() => assertPlaces([agent(exec)], config)).toThrow(because);
  expect(() => assertPlaces([agent(exec)], { ...config, execMode: 'off' })).not.toThrow();
});
