import { VERSION } from './version.js';

// Before anything else is read, for scripts that ask often.
if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./program.js').then(({ runProgram }) => runProgram(process.argv.slice(2)));
}
