import { AsyncResource } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { AppError, InvalidRequest } from '../core/errors/app-error.js';
import { passed, revived } from './passed-error.js';
import { type RunSettings } from './task.js';
import { type Answer, type Order } from './worker-entry.js';

export interface WorkerLaneOptions {
  /** Workers at work at most; each is started when there is work for it. As many again may wait for what their tasks have asked. */
  size: number;
  /** Milliseconds for one task, after which its worker is ended. */
  timeLimit: number;
  /** Megabytes of heap of one worker. */
  memory: number;
  /** Tasks that may wait. */
  queue: number;
}

const LONGEST_START = 30_000;

interface Waiting {
  order: Order;
  settings: RunSettings;
  /** Milliseconds of its time that are left, as of `since`. */
  left: number;
  since: number;
  part: (value: unknown) => void;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer?: NodeJS.Timeout;
}

/** Workers of their own and a queue before them: tasks of one lane never wait for those of another. */
export class WorkerLane {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Waiting>();
  private readonly waiting: Waiting[] = [];
  /** Workers whose tasks wait for an answer, and for how many. */
  private readonly asking = new Map<Worker, number>();
  /** Belongs to no request: what a worker sends is heard in the context in which the worker was started. */
  private readonly outside = new AsyncResource('WorkerLane');
  private closed = false;

  constructor(private readonly options: WorkerLaneOptions) {}

  /** Runs an exported function of a module; the parts of a generator are handed to `part` one at a time. */
  run(
    { module, name }: { module: string; name: string },
    input: unknown,
    settings: RunSettings,
    part: Waiting['part'],
  ): Promise<unknown> {
    if (this.closed) return Promise.reject(new Error('The worker pool is closed.'));
    if (this.waiting.length >= this.options.queue) return Promise.reject(tooBusy());
    const { answer, times = 1 } = settings;
    const bound = answer && AsyncResource.bind(answer);
    const left = this.options.timeLimit * times;
    return new Promise((resolve, reject) => {
      const order = { module, name, input };
      this.waiting.push({ order, settings: { ...settings, answer: bound }, left, since: 0, part, resolve, reject });
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
    this.asking.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private next(): void {
    const { size } = this.options;
    if (this.waiting.length === 0 || this.busy.size - Math.min(this.asking.size, size) >= size) return;
    const waiting = this.waiting.shift();
    if (!waiting) return;
    const worker = this.idle.pop() ?? this.outside.runInAsyncScope(() => this.start());
    this.busy.set(worker, waiting);
    worker.ref();
    this.limit(worker, waiting, LONGEST_START);
    try {
      worker.postMessage(waiting.order, waiting.settings.buffers);
    } catch (error) {
      this.fail(worker, error as Error);
    }
  }

  /** The time of a task counts from where the worker has begun with it; starting the worker has a time of its own, `before`. */
  private limit(worker: Worker, waiting: Waiting, before = 0): void {
    clearTimeout(waiting.timer);
    const timeLimit = this.options.timeLimit * (waiting.settings.times ?? 1);
    const stop = () => this.fail(worker, tooCostly(`took longer than ${timeLimit} ms`));
    waiting.since = performance.now();
    waiting.timer = setTimeout(stop, waiting.left + before);
  }

  private receive(worker: Worker, answer: Answer): void {
    const waiting = this.busy.get(worker);
    if (!waiting) return;
    if ('begun' in answer) return this.limit(worker, waiting);
    if ('part' in answer) return waiting.part(answer.part);
    if ('ask' in answer) return void this.reply(worker, waiting, answer);
    clearTimeout(waiting.timer);
    this.busy.delete(worker);
    this.asking.delete(worker);
    worker.unref();
    this.idle.push(worker);
    if ('value' in answer) waiting.resolve(answer.value);
    else waiting.reject(revived(answer.error));
    this.next();
  }

  /** The time that an answer takes is not the task's, and others work meanwhile. */
  private async reply(worker: Worker, waiting: Waiting, { ask, question }: { ask: number; question: unknown }) {
    clearTimeout(waiting.timer);
    const asked = this.asking.get(worker) ?? 0;
    if (asked === 0) waiting.left = Math.max(waiting.left - (performance.now() - waiting.since), 0);
    this.asking.set(worker, asked + 1);
    this.next();
    const { answer } = waiting.settings;
    const reply = await (answer ? answer(question) : Promise.reject(new Error('Nobody answers this task.'))).then(
      (value) => ({ reply: ask, value }),
      (error: unknown) => ({ reply: ask, error: passed(error) }),
    );
    if (this.busy.get(worker) !== waiting) return;
    const left = (this.asking.get(worker) ?? 1) - 1;
    if (left > 0) this.asking.set(worker, left);
    else {
      this.asking.delete(worker);
      this.limit(worker, waiting);
    }
    try {
      worker.postMessage(reply);
    } catch (error) {
      this.fail(worker, error as Error);
    }
  }

  /** Rejects what the worker was at, and ends the worker: it may be in a loop. */
  private fail(worker: Worker, error: Error): void {
    const waiting = this.busy.get(worker);
    clearTimeout(waiting?.timer);
    this.busy.delete(worker);
    this.asking.delete(worker);
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
