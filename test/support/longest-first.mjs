import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const LIST = join(import.meta.dirname, 'long-files.json');
/** A file that takes less is not listed: it hardly matters when it starts. */
const LONG_MS = 10_000;
/** Seconds that the files take which take long, among all others. A run with TEST_SECONDS=write writes them anew. */
const SECONDS = JSON.parse(readFileSync(LIST, 'utf8'));

const nameOf = (path) => relative(ROOT, path).split(sep).join('/');
const secondsOf = ({ path }) => SECONDS[nameOf(path)] ?? 0;

/** The order in which Jest runs test files: the longest first, so that all workers end at about the same time. */
export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }

  /** For `--onlyFailures`: nothing is kept of earlier runs, so none can be left out. */
  allFailedTests(tests) {
    return tests;
  }

  /** Of a run of all files: the list is replaced. */
  cacheResults(_tests, { testResults }) {
    if (process.env.TEST_SECONDS !== 'write') return;
    const long = testResults
      .filter(({ perfStats }) => perfStats.runtime >= LONG_MS)
      .map(({ testFilePath, perfStats }) => [nameOf(testFilePath), Math.round(perfStats.runtime / 1000)])
      .sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
    writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`);
  }
}
