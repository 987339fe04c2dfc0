import { expect, test } from 'vitest';
import { toLibrariesFinding } from '../../../../../runtime/cli/commands/doctor/check-libraries.ts';
import { libraries } from '../../../../../supervisor/cell/libraries.ts';

// proves: exec.libraries-listed
test('the doctor lists the libraries that programs can import', () => {
  const says = libraries.join(', ');
  expect(toLibrariesFinding(libraries, 'docker')).toEqual({ what: 'libraries', ok: true, says });
});

test('it lists missing libraries, and how to install them for this backend', () => {
  const found = libraries.filter((name) => name !== 'matplotlib' && name !== 'PIL');
  expect(toLibrariesFinding(found, 'process').says).toMatch(
    /^numpy, .*; missing: matplotlib, PIL \(Debian: apt-get install .*python3-matplotlib python3-pil python3-munkres python3-defcon\)$/,
  );
  expect(toLibrariesFinding(['numpy'], 'process').says).toMatch(/^numpy; missing: pandas, /);
  expect(toLibrariesFinding([], 'docker-combined').says).toMatch(
    /^none; missing: numpy, .*make-base-image\.mjs/,
  );
});
