import { Worker } from 'node:worker_threads';
import { AppError, InvalidRequest } from '../core/errors/app-error.js';
import { type Answer, type Job } from './worker-entry.js';

/** A pure function that a worker can find: exported under `name` by the module at `module` (its `import.meta.url`). */
export interface Task<Input, Output> {
  module: string;
  name: string;
  /** Never set; carries the types. */
  types?: (input: Input) => Output | Promise<Output>;
}

export interface WorkerPoolOptions {
  /** Workers at most; each is started when there is work for it. */
  size: number;
  /** Milliseconds for one task, after which its worker is ended. */
  timeLimit: number;
  /** Megabytes of heap of one worker. */
  memory: number;
  /** Tasks that may wait. */
  queue: number;
}

export const defaultPoolOptions: Readonly<WorkerPoolOptions> = { size: 2, timeLimit: 20_000, memory: 1024, queue: 100 };

const LONGEST_START = 30_000;

interface Waiting {
  job: Job;
  part: (value: unknown) => void;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/** Runs pure tasks on foreign input off the event loop, bounded in time, memory and number. */
export class WorkerPool {
  private readonly options: WorkerPoolOptions;
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Waiting>();
  private readonly waiting: Waiting[] = [];
  private closed = false;

  constructor(options: Partial<WorkerPoolOptions> = {}) {
    this.options = { ...defaultPoolOptions, ...options };
  }

  /**
   * Input and output are copied, so they must be plain data. Rejects with the AppError that the task threw,
   * InvalidRequest `TOO_COSTLY` when time or memory ran out, or a 429 when too many tasks wait.
   */
  run<Input, Output>(task: Task<Input, Output>, input: Input): Promise<Output> {
    return this.enqueue(task, input, () => undefined) as Promise<Output>;
  }

  /** As run, for a generator: its parts cross over one at a time, so that none holds up the event loop for long. */
  async collect<Input, Part>(task: Task<Input, Iterable<Part>>, input: Input): Promise<Part[]> {
    const parts: Part[] = [];
    await this.enqueue(task, input, (part) => parts.push(part as Part));
    return parts;
  }

  private enqueue(task: { module: string; name: string }, input: unknown, part: Waiting['part']): Promise<unknown> {
    if (this.closed) return Promise.reject(new Error('The worker pool is closed.'));
    if (this.waiting.length >= this.options.queue) return Promise.reject(tooBusy());
    return new Promise((resolve, reject) => {
      const job: Job = { module: task.module, name: task.name, input };
      this.waiting.push({ job, part, resolve, reject });
      this.next();
    });
  }

  /** Ends all workers; what is running or waiting is rejected. */
  async close(): Promise<void> {
    this.closed = true;
    const stopped = new Error('The worker pool was closed.');
    for (const { reject, timer } of [...this.waiting.splice(0), ...this.busy.values()]) {
      clearTimeout(timer);
      reject(stopped);
    }
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    this.busy.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private next(): void {
    if (this.waiting.length === 0 || this.busy.size >= this.options.size) return;
    const waiting = this.waiting.shift();
    if (!waiting) return;
    const worker = this.idle.pop() ?? this.start();
    this.busy.set(worker, waiting);
    worker.ref();
    this.limit(worker, waiting, this.options.timeLimit + LONGEST_START);
    try {
      worker.postMessage(waiting.job);
    } catch (error) {
      this.fail(worker, error as Error);
    }
  }

  /** The time of a task counts from where the worker has begun with it; starting the worker has a time of its own. */
  private limit(worker: Worker, waiting: Waiting, milliseconds: number): void {
    clearTimeout(waiting.timer);
    const { timeLimit } = this.options;
    waiting.timer = setTimeout(() => this.fail(worker, tooCostly(`took longer than ${timeLimit} ms`)), milliseconds);
  }

  private receive(worker: Worker, answer: Answer): void {
    const waiting = this.busy.get(worker);
    if (!waiting) return;
    if ('begun' in answer) return this.limit(worker, waiting, this.options.timeLimit);
    if ('part' in answer) return waiting.part(answer.part);
    clearTimeout(waiting.timer);
    this.busy.delete(worker);
    worker.unref();
    this.idle.push(worker);
    if ('value' in answer) waiting.resolve(answer.value);
    else waiting.reject(revive(answer));
    this.next();
  }

  /** Rejects what the worker was at, and ends the worker: it may be in a loop. */
  private fail(worker: Worker, error: Error): void {
    const waiting = this.busy.get(worker);
    clearTimeout(waiting?.timer);
    this.busy.delete(worker);
    const index = this.idle.indexOf(worker);
    if (index >= 0) this.idle.splice(index, 1);
    void worker.terminate();
    waiting?.reject(error);
    this.next();
  }

  private start(): Worker {
    const fromSource = import.meta.url.endsWith('.ts');
    const entry = new URL(fromSource ? './worker-entry.ts' : './worker-entry.js', import.meta.url);
    const worker = new Worker(entry, {
      execArgv: fromSource ? ['--import', '@swc-node/register/esm-register', '--no-warnings'] : [],
      resourceLimits: { maxOldGenerationSizeMb: this.options.memory },
    });
    worker.on('message', (answer: Answer) => this.receive(worker, answer));
    worker.on('error', (error: Error & { code?: string }) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.fail(worker, outOfMemory ? tooCostly(`needs more than ${this.options.memory} MB of memory`) : error);
    });
    worker.on('exit', () => this.fail(worker, new Error('A worker ended before its task did.')));
    return worker;
  }
}

function revive(answer: Exclude<Answer, { value: unknown } | { part: unknown } | { begun: true }>): Error {
  if (!('code' in answer)) return new Error(answer.message);
  const { status, code, title, message, errors, remedy } = answer;
  return status === 400
    ? new InvalidRequest(message, { code, errors, remedy })
    : new AppError(status, code, title, message, { errors, remedy });
}

function tooCostly(detail: string): InvalidRequest {
  const remedy = 'Send less at once, or split the file.';
  return new InvalidRequest(`Reading this input ${detail}.`, {
    code: 'TOO_COSTLY',
    remedy,
    errors: [{ detail, remedy }],
  });
}

function tooBusy(): AppError {
  return new AppError(429, 'TOO_BUSY', 'Too busy', 'Too many files are being read at this moment.', {
    remedy: 'Try again in a few seconds.',
    headers: { 'Retry-After': '5' },
  });
}
