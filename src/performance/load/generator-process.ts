import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../core/errors/app-error.js';
import { programBeside } from '../../core/program-beside.js';
import type { GeneratorMessage } from './generator-entry.js';
import type { GeneratorTask } from './load-plan.js';
import type { RunTotals, Slice } from './measurement.js';

/** Receives the progress of a run. */
export interface LoadObserver {
  /** Receives the measurement of a part, usually one second. */
  report: (slice: Slice) => void;
  /** Receives the elapsed seconds, from a generator that reports all measurements at the end. */
  tick: (seconds: number) => void;
  /** Receives what is measured of the run as a whole, at its end and not from every generator. */
  finish: (totals: RunTotals) => void;
}

const MEMORY_MB = 256;
/** The time for starting the process, in addition to the duration of the run and the timeout of its last responses. */
const MARGIN_MS = 120_000;
const MAX_STDERR_BYTES = 4_096;

/** Drives the load of one run in a child process, which ends with the run, the signal or this process. */
export class GeneratorProcess {
  constructor(private readonly task: GeneratorTask) {}

  /** @throws AppError when the process ends before the run; the reason of the signal when it is aborted */
  async run(signal: AbortSignal, observer: LoadObserver): Promise<void> {
    signal.throwIfAborted();
    const child = startProcess();
    try {
      await this.waitForEnd(child, signal, observer);
    } finally {
      killGroup(child);
    }
  }

  private waitForEnd(child: ChildProcess, signal: AbortSignal, observer: LoadObserver): Promise<void> {
    const { seconds, timeout } = this.task.plan;
    let said = '';
    child.stderr
      ?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, MAX_STDERR_BYTES)))
      .on('error', () => undefined);
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => reject(generatorFailed('took longer than the run')),
        (seconds + timeout) * 1_000 + MARGIN_MS,
      );
      const settle = (end: () => void): void => {
        clearTimeout(limit);
        signal.removeEventListener('abort', abort);
        end();
      };
      const abort = (): void => settle(() => reject(signal.reason as Error));
      signal.addEventListener('abort', abort);
      child.on('message', (message: GeneratorMessage) => {
        if ('slice' in message) observer.report(message.slice);
        else if ('seconds' in message) observer.tick(message.seconds);
        else if (message.error === undefined)
          settle(() => {
            if (message.totals) observer.finish(message.totals);
            resolve();
          });
        else settle(() => reject(generatorFailed('ended before the run', message.error)));
      });
      child.on('error', (error) => settle(() => reject(generatorFailed('could not be started', error))));
      child.on('exit', () => settle(() => reject(generatorFailed('ended before the run', said))));
      child.send(this.task, (error) => error && settle(() => reject(generatorFailed('could not be started', error))));
    });
  }
}

/** Nothing of this server's own environment; authorities of certificates that the operator has added hold for targets too. */
function startProcess(): ChildProcess {
  const { url, execArgv } = programBeside(import.meta.url, 'generator-entry');
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  return fork(fileURLToPath(url), {
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...execArgv],
    env: authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities },
    serialization: 'advanced',
    // Starts a process group, which is killed as a whole.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

const generatorFailed = (detail: string, cause?: unknown): AppError =>
  new AppError(500, 'LOAD_GENERATOR_FAILED', 'The load generator failed', `the load generator ${detail}`, {
    remedy: 'Run the test again; with less load when it fails again.',
    cause,
  });
