import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Seconds that the files take which take long, two at a time on two idle cores. */
const SECONDS = JSON.parse(readFileSync(join(import.meta.dirname, 'long-files.json'), 'utf8'));

const secondsOf = ({ path }) => SECONDS[relative(ROOT, path).split(sep).join('/')] ?? 0;

/** The order in which Jest runs test files: the longest first, so that all workers end at about the same time. */
export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => secondsOf(b) - secondsOf(a) || a.path.localeCompare(b.path));
  }

  /** For `--onlyFailures`: nothing is kept of earlier runs, so none can be left out. */
  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
