import { AsyncResource } from 'node:async_hooks';
import { Worker } from 'node:worker_threads';
import { InvalidRequest } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import { programBeside } from '../program-beside.js';
import { ProcessorTimer, readThreadTime } from '../processor-timer.js';
import { type QueueEntry, FairQueue, type FairQueueBounds, tooBusy } from './fair-queue.js';
import { currentRequester } from '../telemetry/requester.js';
import { serializeError, deserializeError, type SerializedError } from './serialized-error.js';
import { type TaskOptions } from './task.js';
import { type WorkerMemory } from './worker-memory.js';
import { type WorkerMessage, type WorkerRequest, type WorkerData } from './worker-entry.js';
import { assertOutsideTransaction } from '../database/open-transaction.js';

export interface WorkerLaneOptions extends FairQueueBounds {
  /** The limit of a task's processor time in milliseconds; exceeding it terminates the worker. */
  timeLimit: number;
  /** The heap limit of a worker in megabytes; exceeding it fails the task. */
  memory: number;
  /** How long after its last task a lane keeps idle workers, whose heaps the system otherwise would not get back. */
  idleMs: number;
  /** The nice value of the worker threads, 0 to 19, where threads have priorities (Linux). */
  niceness: number;
}

const START_TIMEOUT_MS = 30_000;
const MAX_YOUNG_GENERATION_MB = 32;
/**
 * The time limit of a task with known small input, and for each further megabyte; malicious text of this size takes
 * a third of it.
 */
const SMALL_INPUT_MS = 5_000;
const MS_PER_MB = 5_000;
const MB = 1024 * 1024;

interface WaitingTask extends QueueEntry {
  request: WorkerRequest;
  options: TaskOptions;
  timeLimit: number;
  part: (value: unknown) => void;
  resolve: (value: unknown) => void;
  /** The errors of its questions. */
  failures: Map<number, unknown>;
  /** Runs until the worker has started. */
  startTimer?: NodeJS.Timeout;
  timer?: ProcessorTimer;
}

/**
 * A set of workers, started on demand, with a fair queue. Lanes never wait for each other. Up to `size` tasks that
 * wait for an answer from the main thread do not count as running.
 */
export class WorkerLane {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, WaitingTask>();
  private readonly queue: FairQueue<WaitingTask>;
  /** The workers whose tasks wait for answers, and the number of questions. */
  private readonly pendingQuestions = new Map<Worker, number>();
  /** Not bound to a request: messages of a worker would otherwise run in the context in which it was started. */
  private readonly asyncResource = new AsyncResource('WorkerLane');
  private closed = false;
  private idleTimer?: NodeJS.Timeout;

  constructor(
    private readonly options: WorkerLaneOptions,
    private readonly memory: WorkerMemory,
  ) {
    this.queue = new FairQueue(options, 'file');
    memory.register({ endIdleWorker: () => this.endIdleWorker(), startNext: () => this.startNext() });
  }

  get load(): { running: number; waiting: number } {
    return { running: this.busy.size, waiting: this.queue.length };
  }

  /** Runs an exported function of a module; `part` receives the values of a generator one at a time. */
  run(
    { module, name }: { module: string; name: string },
    input: unknown,
    settings: TaskOptions,
    part: WaitingTask['part'],
  ): Promise<unknown> {
    if (this.closed) return Promise.reject(new Error('The worker pool is closed.'));
    assertOutsideTransaction(`a task of a worker (${name})`);
    const { answerQuestion: answer, transferList: buffers = [] } = settings;
    const bound = answer && AsyncResource.bind(answer);
    const bytes = buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const timeLimit = this.timeLimitFor(settings);
    return new Promise((resolve, reject) => {
      const waiting = { party: currentRequester(), bytes, timeLimit, part, resolve, reject, failures: new Map() };
      this.queue.push({
        ...waiting,
        request: { module, name, input },
        options: { ...settings, answerQuestion: bound },
      });
      this.startNext();
    });
  }

  /** Terminates all workers; running and waiting tasks are rejected. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.idleTimer);
    const stopped = new Error('The worker pool was closed.');
    for (const waiting of [...this.queue.drain(), ...this.busy.values()]) {
      stopTimers(waiting);
      waiting.reject(stopped);
    }
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    this.busy.clear();
    this.pendingQuestions.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private startNext(): void {
    if (this.queue.length === 0 || !this.mayStart()) return;
    const waiting = this.queue.takeNext(this.busy.size - Math.min(this.pendingQuestions.size, this.options.size));
    if (!waiting) return;
    const worker = this.idle.pop() ?? this.asyncResource.runInAsyncScope(() => this.startWorker());
    this.busy.set(worker, waiting);
    worker.ref();
    const isLate = (): void => this.fail(worker, tooBusy('A worker could not be started in time'));
    waiting.startTimer = setTimeout(isLate, START_TIMEOUT_MS);
    try {
      worker.postMessage(waiting.request, waiting.options.transferList);
    } catch (error) {
      this.fail(worker, error as Error);
    }
  }

  /** Reports whether a worker is idle or may be started. */
  private mayStart(): boolean {
    return this.idle.length > 0 || this.busy.size === 0 || this.memory.hasRoom(this.options.memory);
  }

  private timeLimitFor({ timeFactor = 1, inputBytes }: TaskOptions): number {
    const { timeLimit } = this.options;
    const ofInput = inputBytes === undefined ? timeLimit : SMALL_INPUT_MS + (inputBytes / MB) * MS_PER_MB;
    return Math.round(Math.min(timeLimit, ofInput) * timeFactor);
  }

  /** Starts the time limit of a task when the worker starts it. */
  private begin(worker: Worker, waiting: WaitingTask, thread: string | null): void {
    const { timeLimit } = waiting;
    const readTime = (): number | undefined =>
      thread === null ? undefined : readThreadTime(`/proc/self/task/${thread}`);
    clearTimeout(waiting.startTimer);
    waiting.timer = new ProcessorTimer(timeLimit, readTime, (why) => {
      const used = tooCostly(`took longer than ${timeLimit} ms`, 'Send less at once, or split the file.');
      this.fail(worker, why === 'used' ? used : tooBusy('Reading this input takes too long on a machine this busy'));
    });
    waiting.timer.start();
  }

  private handleMessage(worker: Worker, answer: WorkerMessage): void {
    const waiting = this.busy.get(worker);
    if (!waiting) return;
    if ('begun' in answer) return this.begin(worker, waiting, answer.thread);
    if ('part' in answer) return waiting.part(answer.part);
    if ('ask' in answer) return void this.answerQuestion(worker, waiting, answer);
    this.release(worker, waiting);
    worker.unref();
    if (this.idle.length < this.options.size) this.keep(worker);
    else void worker.terminate();
    if ('value' in answer) waiting.resolve(answer.value);
    else waiting.reject(findError(waiting, answer.error));
    this.startNext();
  }

  /** Answers a question; that time does not count for the task, and other tasks run meanwhile. */
  private async answerQuestion(
    worker: Worker,
    waiting: WaitingTask,
    { ask, question }: { ask: number; question: unknown },
  ) {
    waiting.timer?.stop();
    this.pendingQuestions.set(worker, (this.pendingQuestions.get(worker) ?? 0) + 1);
    this.startNext();
    const { answerQuestion: answer } = waiting.options;
    const reply = await (answer ? answer(question) : Promise.reject(new Error('No handler answers this task.'))).then(
      (value) => ({ reply: ask, value }),
      (error: unknown) => {
        waiting.failures.set(ask, error);
        return { reply: ask, error: serializeError(error) };
      },
    );
    if (this.busy.get(worker) !== waiting) return;
    const left = (this.pendingQuestions.get(worker) ?? 1) - 1;
    if (left > 0) this.pendingQuestions.set(worker, left);
    else {
      this.pendingQuestions.delete(worker);
      waiting.timer?.start();
    }
    try {
      worker.postMessage(reply);
    } catch (error) {
      this.fail(worker, error as Error);
    }
  }

  /** Rejects the task of a worker and terminates the worker, which may be in an endless loop. */
  private fail(worker: Worker, error: Error): void {
    const waiting = this.busy.get(worker);
    if (waiting) this.release(worker, waiting);
    const index = this.idle.indexOf(worker);
    if (index >= 0) this.idle.splice(index, 1);
    void worker.terminate();
    waiting?.reject(error);
    this.startNext();
  }

  private keep(worker: Worker): void {
    this.idle.push(worker);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => {
      while (this.endIdleWorker());
    }, this.options.idleMs).unref();
  }

  private endIdleWorker(): boolean {
    const worker = this.idle.pop();
    void worker?.terminate();
    return worker !== undefined;
  }

  private release(worker: Worker, waiting: WaitingTask): void {
    stopTimers(waiting);
    this.busy.delete(worker);
    this.pendingQuestions.delete(worker);
    this.queue.complete(waiting);
  }

  private startWorker(): Worker {
    const { url, execArgv } = programBeside(import.meta.url, 'worker-entry');
    const worker = new Worker(url, {
      execArgv,
      workerData: { niceness: this.options.niceness } satisfies WorkerData,
      resourceLimits: {
        maxOldGenerationSizeMb: this.options.memory,
        maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      },
    });
    this.memory.take(this.options.memory);
    worker.on('message', (answer: WorkerMessage) => this.handleMessage(worker, answer));
    worker.on('error', (error: Error & { code?: string }) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      const remedy = limitRemedy('Send less at once, or split the file.', 'LIMIT_WORKER_BYTES');
      this.fail(worker, outOfMemory ? tooCostly(`needs more than ${this.options.memory} MB of memory`, remedy) : error);
    });
    worker.on('exit', () => {
      this.fail(worker, new Error('A worker ended before its task did.'));
      this.memory.give(this.options.memory);
    });
    return worker;
  }
}

/** A task that fails with the error of its question fails with that very error, whose class its caller may look for. */
function findError({ failures }: WaitingTask, error: SerializedError): Error {
  const own = error.question === undefined ? undefined : failures.get(error.question);
  return own instanceof Error ? own : deserializeError(error);
}

function stopTimers({ startTimer, timer }: WaitingTask): void {
  clearTimeout(startTimer);
  timer?.stop();
}

function tooCostly(detail: string, remedy: string): InvalidRequest {
  return new InvalidRequest(`Reading this input ${detail}.`, {
    code: 'TOO_COSTLY',
    remedy,
    errors: [{ detail, remedy }],
  });
}
