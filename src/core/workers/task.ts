/** Sends a question of a task to the main thread and returns the answer; the listed buffers are transferred instead of copied. */
export type AskMainThread = (question: unknown, buffers?: ArrayBuffer[]) => Promise<unknown>;

/** A pure function that runs on the calling thread or in a worker, which imports it by module and name. */
export interface Task<Input, Output> {
  /** The URL of the module that exports the function; only workers import it. */
  module: string;
  /** The name of the export. */
  name: string;
  run: TaskFunction<Input, Output>;
}

type TaskFunction<Input, Output> = (
  input: Input,
  ask: AskMainThread,
) => Output | Promise<Output> | TransferredValue<Output> | Promise<TransferredValue<Output>>;

/**
 * Defines a task for an exported function.
 * @param module the `import.meta.url` of the module
 * @param exported an object with the function as its only member, under the name of the export
 */
export function defineTask<Input, Output>(
  module: string,
  exported: Readonly<Record<string, TaskFunction<Input, Output>>>,
): Task<Input, Output> {
  const [[name, run], ...others] = Object.entries(exported) as [[string, TaskFunction<Input, Output>]];
  if (others.length > 0) throw new Error(`A task is one function, and not ${Object.keys(exported).join(', ')}`);
  return { module, name, run };
}

/** A result with buffers that are transferred to the caller instead of copied. */
export class TransferredValue<Value> {
  constructor(
    readonly value: Value,
    readonly transferList: ArrayBuffer[],
  ) {}
}

/**
 * `foreign`: new input from outside. `own`: stored designs and JSON request bodies. `connection`: small input of
 * connections, such as kubeconfigs and metadata. `cluster`: responses of clusters.
 */
export type Lane = 'foreign' | 'own' | 'connection' | 'cluster';

export interface TaskOptions {
  /** The lane whose workers run the task; default `foreign`. Lanes never wait for each other. */
  lane?: Lane;
  /** Buffers of the input that are transferred to the task; the caller can no longer use them. */
  transferList?: ArrayBuffer[];
  /** A multiple of the ordinary time limit; default 1. */
  timeFactor?: number;
  /** The size of the task's input in bytes, when that alone determines its time: smaller input has a shorter time limit. */
  inputBytes?: number;
  /** Answers questions of the task; the time of an answer does not count for the task. */
  answerQuestion?: (question: unknown) => Promise<unknown>;
}

/** Runs tasks: in workers (WorkerPool) or on the current thread (InlineTaskRunner). */
export interface TaskRunner {
  /** @throws the error of the task */
  run<Input, Output>(task: Task<Input, Output>, input: Input, settings?: TaskOptions): Promise<Output>;
  /** Like `run`, for a generator; returns all of its values. */
  collect<Input, Part>(task: Task<Input, Iterable<Part>>, input: Input, settings?: TaskOptions): Promise<Part[]>;
}

/** Runs tasks on the current thread, for small input and inside of workers. */
export class InlineTaskRunner implements TaskRunner {
  async run<Input, Output>(
    task: Task<Input, Output>,
    input: Input,
    { answerQuestion: answer }: TaskOptions = {},
  ): Promise<Output> {
    const value = await task.run(input, answer ?? rejectQuestion);
    return value instanceof TransferredValue ? value.value : value;
  }

  async collect<Input, Part>(task: Task<Input, Iterable<Part>>, input: Input): Promise<Part[]> {
    return Array.from(await this.run(task, input));
  }
}

const rejectQuestion = (): Promise<never> =>
  Promise.reject(new Error('No handler answers the questions of this task.'));
