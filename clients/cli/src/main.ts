import { VERSION } from './version.js';

// Before anything else is read, for scripts that ask often.
if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  // A reader that has seen enough, such as head, is no failure.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  void import('./program.js').then(({ runProgram }) => runProgram(process.argv.slice(2)));
}
