/** What a task may ask of those who run it, for what only the main thread has; buffers named beside it go over instead of being copied. */
export type AskMainThread = (question: unknown, buffers?: ArrayBuffer[]) => Promise<unknown>;

/** A pure function that runs on the thread that calls it, and in workers, which find it by its module and name. */
export interface Task<Input, Output> {
  /** The address of the compiled module that exports the function: only workers import it. */
  module: string;
  /** The name under which the module exports the function. */
  name: string;
  run: TaskFunction<Input, Output>;
}

type TaskFunction<Input, Output> = (
  input: Input,
  ask: AskMainThread,
) => Output | Promise<Output> | TransferredValue<Output> | Promise<TransferredValue<Output>>;

/**
 * Makes a task of a function that its module exports.
 * @param module the `import.meta.url` of the module
 * @param exported the function, as the only member, under the name of the export
 */
export function defineTask<Input, Output>(
  module: string,
  exported: Readonly<Record<string, TaskFunction<Input, Output>>>,
): Task<Input, Output> {
  const [[name, run], ...others] = Object.entries(exported) as [[string, TaskFunction<Input, Output>]];
  if (others.length > 0) throw new Error(`A task is one function, and not ${Object.keys(exported).join(', ')}`);
  return { module, name, run };
}

/** The value of a task with the buffers in it that go over to the caller instead of being copied. */
export class TransferredValue<Value> {
  constructor(
    readonly value: Value,
    readonly transferList: ArrayBuffer[],
  ) {}
}

/**
 * `foreign`: what came from outside just now. `own`: designs that are stored here, and the JSON of request bodies. `connection`: what
 * connections are made of, which is small: kubeconfigs, metadata. `cluster`: answers of clusters.
 */
export type Lane = 'foreign' | 'own' | 'connection' | 'cluster';

export interface TaskOptions {
  /** The workers that run the task, `foreign` by default: tasks of one lane never wait for those of the other. */
  lane?: Lane;
  /** Buffers of the input that are transferred to the task; the caller can no longer use them. */
  transferList?: ArrayBuffer[];
  /** How many times the time of an ordinary task it may take; 1 by default. */
  timeFactor?: number;
  /** Bytes of the text that the task reads, when it reads nothing else: the less it is, the less time the task has. */
  inputBytes?: number;
  /** Answers what the task asks; the time that this takes is not the task's. */
  answerQuestion?: (question: unknown) => Promise<unknown>;
}

/** Where tasks are run: in the workers of a WorkerPool, or InPlace. */
export interface TaskRunner {
  /** Rejects with what the task threw. */
  run<Input, Output>(task: Task<Input, Output>, input: Input, settings?: TaskOptions): Promise<Output>;
  /** As run, for a generator: all of its parts. */
  collect<Input, Part>(task: Task<Input, Iterable<Part>>, input: Input, settings?: TaskOptions): Promise<Part[]>;
}

/** Runs tasks on the current thread: for small input, and inside workers. */
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
