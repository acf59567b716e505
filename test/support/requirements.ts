import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What some tests need from the machine; each variable holds a path. */
export type Requirement =
  | 'KUBEBUILDER_ASSETS'
  | 'HELM_BIN'
  | 'CORPUS_DIR'
  | 'CHROMIUM_BIN'
  | 'CURL_BIN'
  | 'PROMETHEUS_BIN'
  | 'REDIS_BIN'
  | 'K6_BIN'
  | 'PYTHON_BIN';

const WHAT: Record<Requirement, string> = {
  KUBEBUILDER_ASSETS: 'folder of etcd and kube-apiserver',
  HELM_BIN: 'the helm program',
  CORPUS_DIR: 'folder of real and hostile input files',
  CHROMIUM_BIN: 'the browser Chromium',
  CURL_BIN: 'the curl program',
  PROMETHEUS_BIN: 'the prometheus program',
  REDIS_BIN: 'the redis-server program',
  K6_BIN: 'the k6 program',
  PYTHON_BIN: 'a Python interpreter with the package standardwebhooks',
};

/** Not in the packages of distributions: skipped without it, whatever is required. */
const OPTIONAL = new Set<Requirement>(['K6_BIN', 'PYTHON_BIN']);

const findInPath = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(existsSync);

/** Where packages of distributions put it. */
const DEFAULTS: Partial<Record<Requirement, string>> = {
  CHROMIUM_BIN: '/usr/bin/chromium',
  CURL_BIN: findInPath('curl'),
  PROMETHEUS_BIN: findInPath('prometheus'),
  REDIS_BIN: findInPath('redis-server'),
  K6_BIN: findInPath('k6'),
};

/**
 * A `describe` that needs something from the machine. Without it the tests are skipped, counted and named; under REQUIRE_EVERYTHING=1
 * they fail instead, unless the requirement is optional.
 *
 * @param tests gets the path; without one it is called too, to count, with an empty path
 */
export function requires(requirement: Requirement, title: string, tests: (path: string) => void): void {
  const path = process.env[requirement] ?? DEFAULTS[requirement] ?? '';
  if (path !== '' && existsSync(path)) {
    describe(title, () => tests(path));
    return;
  }
  const reason = `${requirement} (${WHAT[requirement]}) ${path === '' ? 'is not set' : `names ${path}, which does not exist`}`;
  if (process.env['REQUIRE_EVERYTHING'] === '1' && !OPTIONAL.has(requirement)) {
    describe(title, () => {
      it(`needs ${requirement}`, () => {
        throw new Error(`${reason}.`);
      });
    });
    return;
  }
  process.stderr.write(`SKIPPED: ${title}: ${reason}\n`);
  describe.skip(title, () => tests(''));
}
